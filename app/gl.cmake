# scanlens_gl: OpenGL without a window, the teapot scene, the depth-of-field shader.
