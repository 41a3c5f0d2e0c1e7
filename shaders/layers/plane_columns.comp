// Sums down the columns of planes, in place: the second of the two steps that make summed-area tables of them. A work
// group has 32 columns and goes down them, 256 rows at a time.
#version 450 core
const int kColumns = 32, kParts = 16;  // an invocation has a column of a part of the rows
layout(local_size_x = 32, local_size_y = 16) in;
#include "layers/synchronise.glsl"

layout(std430, binding = 7) buffer Planes { uint planes[]; };  // [plane][row][column]
uniform int pitch;  // from row to row
uniform int height;

// Loops that are not unrolled keep their arrays in memory; other compilers than NVIDIA's pass over this.
#pragma optionNV(unroll all)
const int kRows = 16;  // of a part
shared uint sums[kParts][kColumns];

void main() {
  int x = int(gl_GlobalInvocationID.x), column = int(gl_LocalInvocationID.x), part = int(gl_LocalInvocationID.y);
  int plane = int(gl_WorkGroupID.y) * height * pitch + x;
  uint above = 0u;
  for (int first = 0; first < height; first += kParts * kRows) {
    int y = first + part * kRows, end = x < pitch ? min(kRows, height - y) : 0, at = plane + y * pitch;
    uint of_row[kRows], sum = 0u;
    for (int i = 0; i < kRows; ++i) of_row[i] = i < end ? planes[at + i * pitch] : 0u;
    for (int i = 0; i < kRows; ++i) sum += of_row[i];
    sums[part][column] = sum;
    synchronise();
    sum = above;
    for (int p = 0; p < kParts; ++p) {
      if (p < part) sum += sums[p][column];
      above += sums[p][column];
    }
    synchronise();
    for (int i = 0; i < kRows; ++i) {
      sum += of_row[i];
      if (i < end) planes[at + i * pitch] = sum;
    }
  }
}
