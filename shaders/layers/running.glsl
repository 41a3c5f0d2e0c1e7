// The running sums of four words.
uvec4 running(uvec4 v) {
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  return v;
}
