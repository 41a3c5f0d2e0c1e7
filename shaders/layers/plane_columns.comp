// Sums down the columns of planes, in place: the second of the two steps that make summed-area tables of them. An
// invocation goes down a column, many rows at a time so that it waits once for all of them.
#version 450 core
layout(local_size_x = 64) in;

layout(std430, binding = 0) buffer Planes { uint planes[]; };  // [plane][row][column]
uniform int pitch;  // from row to row
uniform int height;

// Loops that are not unrolled keep their arrays in memory; other compilers than NVIDIA's pass over this.
#pragma optionNV(unroll all)
const int kRows = 64;

void main() {
  int x = int(gl_GlobalInvocationID.x);
  if (x >= pitch) return;
  int at = int(gl_WorkGroupID.y) * height * pitch + x;
  uint sum = 0u;
  for (int y = 0; y < height; y += kRows) {
    uint of_row[kRows];
    for (int i = 0; i < kRows; ++i) of_row[i] = y + i < height ? planes[at + i * pitch] : 0u;
    for (int i = 0; i < kRows; ++i) {
      sum += of_row[i];
      if (y + i < height) planes[at + i * pitch] = sum;
    }
    at += kRows * pitch;
  }
}
