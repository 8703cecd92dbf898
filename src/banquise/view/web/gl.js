/* Floes drawn by WebGL2: all shapes in one buffer, poses and colours of the moment in two small textures, one draw
   call for the faces and one for the edges. */
BQ.GLRenderer = class GLRenderer {
  static WIDTH = 1024; // of the textures

  constructor(canvas, shapes) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("no WebGL2");
    this.gl = gl;
    this.name = "webgl";
    this.canvas = canvas;
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    this.hardware = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    this.rows = Math.ceil(shapes.bodies / GLRenderer.WIDTH);
    this.pose = this.#texture(gl.RGBA32F, gl.RGBA, gl.FLOAT);
    this.colour = this.#texture(gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE);
    this.poses = new Float32Array(4 * GLRenderer.WIDTH * this.rows);
    this.colours = new Uint8Array(4 * GLRenderer.WIDTH * this.rows);
    this.faces = this.#program(GLRenderer.FACE_VERTEX, GLRenderer.FACE_FRAGMENT);
    this.edges = this.#program(GLRenderer.EDGE_VERTEX, GLRenderer.EDGE_FRAGMENT);
    this.#buffers(shapes);
  }

  static COMMON = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
uniform sampler2D u_pose; uniform sampler2D u_colour;
uniform vec2 u_scale; uniform vec2 u_shift;   // clip units a metre; copies of a periodic domain (m)
vec4 fetch(sampler2D t, uint body) { return texelFetch(t, ivec2(body % 1024u, body / 1024u), 0); }
vec2 placed(vec2 p, vec4 pose) {
  return vec2(pose.z * p.x - pose.w * p.y, pose.w * p.x + pose.z * p.y) + pose.xy + u_shift;
}`;
  static FACE_VERTEX = GLRenderer.COMMON + `
layout(location=0) in vec2 a_point; layout(location=1) in uint a_body;
uniform vec2 u_lift; uniform float u_shadow;
out vec4 v_colour;
void main() {
  vec4 c = fetch(u_colour, a_body);
  v_colour = c;
  gl_Position = c.a == 0.0 || (u_shadow > 0.0 && c.a < 0.25) ? vec4(2.0, 2.0, 2.0, 1.0)
    : vec4(placed(a_point, fetch(u_pose, a_body)) * u_scale + u_lift, 0.0, 1.0);
}`;
  // a low alpha marks an obstacle, which is hatched
  static FACE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 v_colour; uniform float u_shadow; uniform float u_pixel; out vec4 colour;
void main() {
  if (u_shadow > 0.0) { colour = vec4(0.0, 0.02, 0.05, 1.0) * u_shadow; return; }
  vec3 c = v_colour.rgb;
  if (v_colour.a < 0.25) c *= mod(gl_FragCoord.x + gl_FragCoord.y, 9.0 * u_pixel) < 1.6 * u_pixel ? 0.82 : 1.0;
  colour = vec4(c, 1.0);
}`;
  // one instance an edge: a thin quad, so that lines are as wide on every screen
  static EDGE_VERTEX = GLRenderer.COMMON + `
layout(location=0) in vec4 a_ends; layout(location=1) in uint a_body; layout(location=2) in float a_crack;
layout(location=3) in float a_reach;
uniform vec2 u_size; uniform float u_width; uniform vec4 u_line; uniform float u_cracks;
out vec4 v_colour;
void main() {
  vec4 c = fetch(u_colour, a_body);
  float seen = clamp((a_reach * u_scale.x * u_size.x - 2.5) / 6.0, 0.0, 1.0); // lines would bury the smallest floes
  if (c.a == 0.0 || seen == 0.0) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  vec4 pose = fetch(u_pose, a_body);
  vec2 p = placed(a_ends.xy, pose) * u_scale * u_size, q = placed(a_ends.zw, pose) * u_scale * u_size;
  vec2 along = q - p; float l = max(length(along), 1e-6); along /= l;
  vec2 side = vec2(-along.y, along.x);
  float crack = a_crack * u_cracks * clamp(2.0 * (1.0 - c.a), 0.0, 1.0); // alpha 1 to 1/2: a crack old to fresh
  float half_width = u_width * (1.0 + 1.1 * crack);
  vec2 at = (gl_VertexID & 1) == 0 ? p - along * half_width * 0.5 : q + along * half_width * 0.5;
  at += side * half_width * ((gl_VertexID & 2) == 0 ? -1.0 : 1.0);
  vec3 shade = c.a < 0.25 ? c.rgb * 0.5 : mix(c.rgb, u_line.rgb, u_line.a * seen);
  v_colour = vec4(mix(shade, vec3(0.84, 0.16, 0.10), crack), 1.0);
  gl_Position = vec4(at / u_size, 0.0, 1.0);
}`;
  static EDGE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 v_colour; out vec4 colour;
void main() { colour = v_colour; }`;

  #texture(internal, format, type) {
    const { gl } = this, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
    gl.texStorage2D(gl.TEXTURE_2D, 1, internal, GLRenderer.WIDTH, Math.max(this.rows, 1));
    return { texture, format, type };
  }

  #program(vertex, fragment) {
    const { gl } = this, program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const known = {}, at = (name) => (known[name] ??= gl.getUniformLocation(program, name));
    return { program, at };
  }

  #buffers(shapes) {
    const { gl } = this;
    const fill = (target, data) => {
      gl.bindBuffer(target, gl.createBuffer());
      gl.bufferData(target, data, gl.STATIC_DRAW);
    };
    const { points, bodies, triangles, ends, endBodies, cracks, reaches } = shapes.meshes();
    this.faceArrays = gl.createVertexArray();
    gl.bindVertexArray(this.faceArrays);
    fill(gl.ARRAY_BUFFER, points);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    fill(gl.ARRAY_BUFFER, bodies);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_INT, 0, 0);
    fill(gl.ELEMENT_ARRAY_BUFFER, triangles);
    this.nTriangles = triangles.length;
    this.edgeArrays = gl.createVertexArray();
    gl.bindVertexArray(this.edgeArrays);
    const columns = [[ends, 4, false], [endBodies, 1, true], [cracks, 1, false], [reaches, 1, false]];
    columns.forEach(([data, size, whole], k) => {
      fill(gl.ARRAY_BUFFER, data);
      gl.enableVertexAttribArray(k);
      if (whole) gl.vertexAttribIPointer(k, size, gl.UNSIGNED_INT, 0, 0);
      else gl.vertexAttribPointer(k, size, data instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.FLOAT, false, 0, 0);
      gl.vertexAttribDivisor(k, 1);
    });
    this.nEdges = endBodies.length;
    gl.bindVertexArray(null);
  }

  #upload(unit, { texture, format, type }, data) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, GLRenderer.WIDTH, this.rows, format, type, data);
  }

  #use({ program, at }, view) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniform1i(at("u_pose"), 0);
    gl.uniform1i(at("u_colour"), 1);
    gl.uniform2f(at("u_scale"), (2 * view.scale) / view.width, (2 * view.scale) / view.height);
  }

  /** Draw a frame: `frame` has x, y, angle and RGBA of each body; `look` the colours of sea and lines. */
  draw(frame, view, look) {
    const { gl, poses } = this, n = frame.n;
    for (let i = 0, j = 0; i < n; i++, j += 4) {
      poses[j] = frame.x[i] - view.x;
      poses[j + 1] = frame.y[i] - view.y;
      poses[j + 2] = Math.cos(frame.angle[i]);
      poses[j + 3] = Math.sin(frame.angle[i]);
    }
    this.colours.set(frame.colour);
    const pixel = this.canvas.width / view.width;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(look.sea[0] / 255, look.sea[1] / 255, look.sea[2] / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.#upload(0, this.pose, poses);
    this.#upload(1, this.colour, this.colours);
    const clip = view.clip(pixel);
    if (clip) {
      gl.enable(gl.SCISSOR_TEST);
      gl.scissor(clip.x, this.canvas.height - clip.y - clip.height, clip.width, clip.height);
    }
    for (const [sx, sy] of view.copies()) {
      const faces = this.faces;
      gl.bindVertexArray(this.faceArrays);
      this.#use(faces, view);
      gl.uniform2f(faces.at("u_shift"), sx, sy);
      gl.uniform1f(faces.at("u_pixel"), pixel);
      if (look.shadow) {
        const lift = look.shadow;
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        gl.uniform1f(faces.at("u_shadow"), look.shadowAlpha);
        gl.uniform2f(faces.at("u_lift"), (2 * lift) / view.width, (-2 * lift) / view.height);
        gl.drawElements(gl.TRIANGLES, this.nTriangles, gl.UNSIGNED_INT, 0);
        gl.disable(gl.BLEND);
      }
      gl.uniform1f(faces.at("u_shadow"), 0);
      gl.uniform2f(faces.at("u_lift"), 0, 0);
      gl.drawElements(gl.TRIANGLES, this.nTriangles, gl.UNSIGNED_INT, 0);
      if (!look.line) continue;
      gl.bindVertexArray(this.edgeArrays);
      this.#use(this.edges, view);
      gl.uniform2f(this.edges.at("u_shift"), sx, sy);
      gl.uniform2f(this.edges.at("u_size"), view.width / 2, view.height / 2);
      gl.uniform1f(this.edges.at("u_width"), look.lineWidth / 2);
      gl.uniform1f(this.edges.at("u_cracks"), look.cracks ? 1 : 0);
      gl.uniform4f(this.edges.at("u_line"), ...look.line.map((c, k) => (k < 3 ? c / 255 : c)));
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.nEdges);
    }
    gl.disable(gl.SCISSOR_TEST);
  }
};
