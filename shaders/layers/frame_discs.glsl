// The discs of lamps by pupils: filters/dof/frame_discs.h. An invocation has every 32nd band of rows.
#include "layers/synchronise.glsl"

int lamp_zones_of(int side) { return PUPILS == 1 ? 1 : frame.sides[side].lamp_zones; }

const int kZonesOfLamp = PUPILS == 1 ? 1 : kMostLampZones;
shared uint outlines[kZonesOfLamp * kNextOutline];  // of the lamp
shared double light_of[32], area_of[32];            // of the bands of a disc that an invocation has

// Writes row i of a zone's outline: LampOutlines in filters/dof/frame_discs.h.
void write_outline(int side, NodeShares shares, int zone, int i) {
  int here = frame.sides[side].outlines + zone * kZoneOutlines + shares.node * kNextOutline + i * kOutlineWords;
  uint words[4], heights[4];
  for (int n = 0; n < 4; ++n) {
    int node = here + (n & 1) * kNextOutline + (n >> 1) * kBelowOutline;
    heights[n] = frame_words[node];
    words[n] = frame_words[node + 1];
  }
  int y = between_nodes(shares, first_of_box(heights[0]), first_of_box(heights[1]), first_of_box(heights[2]),
                        first_of_box(heights[3]));
  int left = between_nodes(shares, first_of_box(words[0]), first_of_box(words[1]), first_of_box(words[2]),
                           first_of_box(words[3]));
  int right = between_nodes(shares, last_of_box(words[0]), last_of_box(words[1]), last_of_box(words[2]),
                            last_of_box(words[3]));
  outlines[zone * kNextOutline + i * kOutlineWords] = word_of_places(y, y);
  outlines[zone * kNextOutline + i * kOutlineWords + 1] = word_of_places(left, right);
}
OutlineRow outline_row(int zone, int i) {
  uint height = outlines[zone * kNextOutline + i * kOutlineWords], ends = outlines[zone * kNextOutline + i * kOutlineWords + 1];
  OutlineRow row;
  row.y = first_of_box(height);
  row.left = first_of_box(ends);
  row.right = last_of_box(ends);
  return row;
}

// Returns the part of a band in a zone: for_each_zone in filters/dof/frame_discs.h.
SpreadBox band_in_zone(SpreadBox band, DiscBands bands, int y, int zone) {
  int above = 0, last = kOutlineRows - 2;
  while (above < last) {
    int middle = (above + last + 1) / 2;
    if (outline_steps(outline_row(zone, middle).y, bands.radius) <= y)
      above = middle;
    else
      last = middle - 1;
  }
  return clipped_band(band, bands, zone, y, outline_row(zone, above), outline_row(zone, above + 1));
}

// Makes the outlines of a lamp.
void begin_lamp(Together together) {
  int side = side_of_circle(together.circle);
  ivec2 at = min(together.middle >> 1, size - 1);
  NodeShares shares = shares_of_nodes(at.x, at.y, frame.per_column, frame.per_row);
  synchronise();  // for those that read the outlines of the lamp before
  for (int i = int(gl_LocalInvocationIndex); i < lamp_zones_of(side) * kOutlineRows; i += 32)
    write_outline(side, shares, i / kOutlineRows, i % kOutlineRows);
  synchronise();
}

// Finds the light of a disc, and its pixels: DiscLight in filters/dof/frame_discs.h.
void find_light(DiscBands bands, int zones, int lights, out double light, out double area) {
  int own = int(gl_LocalInvocationIndex);
  light = area = 0.0;
  for (int b = own; b < bands.count; b += 32) {
    SpreadBox band = band_of_disc(bands, b);
    int y = height_of_band(bands, band);
    double around = 0.0;
    for (int zone = 0; zone < zones; ++zone) {
      band = band_in_zone(band, bands, y, zone);
      double pixels = double(band.right - band.left) * double(band.bottom - band.top);
      double of_zone = double(frame_words[lights + zone]);
      if (zone == 0) area += pixels;
      light += (of_zone - around) * pixels;
      around = of_zone;
    }
  }
  light_of[own] = light;
  area_of[own] = area;
  synchronise();
  light = area = 0.0;
  for (int i = 0; i < 32; ++i) {
    light += light_of[i];
    area += area_of[i];
  }
  synchronise();
}

// This is spread_frame_lamps in filters/dof/frame_discs.h.
void deposit_disc(Together together, int layer, int disc, uint steps, uint random) {
  int side = side_of_circle(together.circle), zones = lamp_zones_of(side), lights = frame.sides[side].lamp_light;
  int disc_size = frame.discs + kDiscSizeWords * disc;
  ivec2 pixel = together.middle >> 1;
  DiscBands bands = bands_of_disc(int(frame_words[disc_size]), int(frame_words[disc_size + 1]), together.middle.x,
                                  together.middle.y, outline_row(0, 0).y, outline_row(0, kOutlineRows - 1).y);
  double light, area;
  find_light(bands, zones, lights, light, area);
  for (int b = int(gl_LocalInvocationIndex); b < bands.count; b += 32) {
    SpreadBox band = band_of_disc(bands, b);
    int y = height_of_band(bands, band);
    uint around[kPlanes], values[kPlanes];
    for (int c = 0; c < kPlanes; ++c) around[c] = 0u;
    for (int zone = 0; zone < zones; ++zone) {
      band = band_in_zone(band, bands, y, zone);
      values_of_disc(together, share_of_zone(frame_words[lights + zone], light, area), steps, random, values);
      for (int c = 0; c < kPlanes; ++c) {
        uint whole = values[c];
        values[c] = whole - around[c];
        around[c] = whole;
      }
      SpreadBox box = band;
      box.left += pixel.x;
      box.right += pixel.x;
      box.top += pixel.y;
      box.bottom += pixel.y;
      add_box_of_disc(layer, reflected_rows(box, size.y), values);
    }
  }
}
