/* The camera around a scene in space, z upwards: it turns with one finger or the left button, shifts with two or with
   the right one, and comes nearer with the wheel. */
BQ.SpaceView = class SpaceView {
  constructor(run) {
    Object.assign(this, { run, target: [0, 0, 0], azimuth: -1.05, elevation: 0.38, distance: 1, whole: 1, width: 1, height: 1 });
    this.camera = new THREE.PerspectiveCamera(36, 1, 0.1, 100);
    this.camera.up.set(0, 0, 1);
  }

  fit() {
    const { low, high } = this.run.meta, half = high.map((h, k) => (h - low[k]) / 2);
    this.target = low.map((l, k) => l + half[k]);
    const away = this.#away(), tall = Math.tan((this.camera.fov * Math.PI) / 360), wide = (tall * this.width) / this.height;
    const right = [-Math.sin(this.azimuth), Math.cos(this.azimuth), 0];
    const up = [away[1] * right[2] - away[2] * right[1], away[2] * right[0] - away[0] * right[2], away[0] * right[1] - away[1] * right[0]];
    let far = 0; // every corner of the box within the picture
    for (let c = 0; c < 8; c++) {
      const p = half.map((h, k) => (c & (1 << k) ? h : -h)), along = (v) => p[0] * v[0] + p[1] * v[1] + p[2] * v[2];
      far = Math.max(far, along(away) + Math.abs(along(right)) / wide, along(away) + Math.abs(along(up)) / tall);
    }
    this.whole = this.distance = 1.06 * (far || 1);
  }

  get fitted() {
    return this.distance === this.whole;
  }

  centre(...place) {
    this.target = place;
  }

  /** Metres across a pixel at the target. */
  get metre() {
    return (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / this.height;
  }

  drag(dx, dy, { fingers = 1, event = {} } = {}) {
    if (fingers === 1 && !event.shiftKey && !((event.buttons ?? 0) & 6)) {
      this.azimuth -= 0.006 * dx;
      this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + 0.006 * dy));
      return;
    }
    this.place();
    const e = this.camera.matrixWorld.elements, m = this.metre; // its first columns: right, up
    this.target = this.target.map((t, k) => t + m * (dy * e[4 + k] - dx * e[k]));
  }

  zoom(factor) {
    this.distance = Math.max(this.whole / 500, Math.min(this.distance / factor, 20 * this.whole));
  }

  #away() {
    const c = Math.cos(this.elevation);
    return [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)];
  }

  /** Put the camera where it belongs. */
  place() {
    const { camera, target, distance } = this, away = this.#away();
    camera.position.set(...target.map((t, k) => t + distance * away[k]));
    camera.aspect = this.width / this.height;
    camera.near = distance / 200;
    camera.far = distance + 20 * this.whole;
    camera.lookAt(...target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return camera;
  }

  toScreen(x, y, z) {
    const p = new THREE.Vector3(x, y, z).project(this.camera);
    return [((p.x + 1) / 2) * this.width, ((1 - p.y) / 2) * this.height, p.z];
  }
};

/* What three.js draws: one instanced mesh a shape, edges by the corners' own coordinates, a sun with its shadows. */
BQ.SpaceRenderer = class SpaceRenderer {
  constructor(canvas, run) {
    this.name = "webgl";
    this.run = run;
    this.gl = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.scene = new THREE.Scene();
    this.sky = new THREE.HemisphereLight(0xffffff, 0x99a4ae, 2.3);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.2);
    this.scene.add(this.sky, this.sun, this.sun.target);
    this.edge = { value: [0, 0, 0, 0] };
    this.meshes = SpaceRenderer.shapes(run).map((shape) => this.#mesh(shape));
    this.#shadows();
    if (run.meta.water !== null && run.meta.water !== undefined) this.#water(run.meta.water);
  }

  /** Blocks of one shape, opaque and glass apart: [{ points, triangles, sharp, blocks, glass }]. */
  static shapes({ arrays: a, meta }) {
    const found = [];
    let p = 0, t = 0;
    for (let s = 0; s < a.point_counts.length; s++) {
      const points = a.points.subarray(3 * p, 3 * (p += a.point_counts[s]));
      const from = t, triangles = a.triangles.subarray(3 * t, 3 * (t += a.triangle_counts[s]));
      for (const glass of [0, 1]) {
        const blocks = [];
        for (let i = 0; i < meta.bodies; i++) if (a.shape[i] === s && a.glass[i] === glass) blocks.push(i);
        if (blocks.length) found.push({ points, triangles, sharp: a.sharp.subarray(from, t), blocks, glass });
      }
    }
    return found;
  }

  #mesh({ points, triangles, sharp, blocks, glass }) {
    const n = triangles.length, place = new Float32Array(3 * n), corner = new Float32Array(3 * n);
    for (let i = 0; i < n; i++) {
      const v = triangles[i], mine = i % 3, marks = sharp[(i - mine) / 3];
      for (let k = 0; k < 3; k++) {
        place[3 * i + k] = points[3 * v + k];
        // side k runs from corner k to the next: across from corner k + 2; a side that is not sharp stays far from 0
        corner[3 * i + ((k + 2) % 3)] = marks & (1 << k) ? Number(mine === (k + 2) % 3) : 1;
      }
    }
    const geometry = new THREE.BufferGeometry(), smooth = !sharp.some(Boolean);
    geometry.setAttribute("position", new THREE.BufferAttribute(place, 3));
    geometry.setAttribute("corner", new THREE.BufferAttribute(corner, 3));
    if (smooth) geometry.setAttribute("normal", new THREE.BufferAttribute(BQ.SpaceRenderer.roundNormals(points, triangles), 3));
    else geometry.computeVertexNormals();
    const material = new THREE.MeshLambertMaterial({ transparent: !!glass, opacity: glass ? 0.14 : 1, depthWrite: !glass });
    material.onBeforeCompile = (shader) => this.#edges(shader);
    const mesh = new THREE.InstancedMesh(geometry, material, blocks.length);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = !glass;
    mesh.userData = { blocks, glass };
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * blocks.length), 3);
    this.scene.add(mesh);
    return mesh;
  }

  /** Normals of a round body: those of its triangles, averaged at each point. */
  static roundNormals(points, triangles) {
    const sum = new Float32Array(points.length), a = new THREE.Vector3(), b = new THREE.Vector3(), c = new THREE.Vector3();
    for (let i = 0; i < triangles.length; i += 3) {
      const [p, q, r] = triangles.subarray(i, i + 3);
      a.fromArray(points, 3 * p); b.fromArray(points, 3 * q).sub(a); c.fromArray(points, 3 * r).sub(a);
      b.cross(c);
      for (const v of [p, q, r]) { sum[3 * v] += b.x; sum[3 * v + 1] += b.y; sum[3 * v + 2] += b.z; }
    }
    const out = new Float32Array(3 * triangles.length);
    triangles.forEach((v, i) => a.fromArray(sum, 3 * v).normalize().toArray(out, 3 * i));
    return out;
  }

  /** Dark lines along sharp edges, a little over a pixel wide at any distance. */
  #edges(shader) {
    shader.uniforms.edge = this.edge;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute vec3 corner;\nvarying vec3 vCorner;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvCorner = corner;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nuniform vec4 edge;\nvarying vec3 vCorner;")
      .replace("#include <opaque_fragment>", `#include <opaque_fragment>
        vec3 near = smoothstep(vec3(0.0), 1.3 * fwidth(vCorner) + 1e-6, vCorner);
        gl_FragColor.rgb = mix(gl_FragColor.rgb, edge.rgb, edge.a * (1.0 - min(near.x, min(near.y, near.z))));`);
  }

  #shadows() {
    const { low, high, bodies } = this.run.meta, reach = Math.hypot(...high.map((h, k) => h - low[k])) / 2 || 1;
    const middle = low.map((l, k) => (l + high[k]) / 2);
    this.sun.position.set(middle[0] + 0.9 * reach, middle[1] - 1.1 * reach, middle[2] + 2.4 * reach);
    this.sun.target.position.set(...middle);
    if (bodies > 4000) return; // a second pass over everything: too slow for weak machines
    this.gl.shadowMap.enabled = this.sun.castShadow = true;
    const { camera, mapSize } = this.sun.shadow;
    Object.assign(camera, { left: -1.2 * reach, right: 1.2 * reach, top: 1.2 * reach, bottom: -1.2 * reach, near: 0.1 * reach, far: 8 * reach });
    mapSize.set(2048, 2048);
    this.sun.shadow.normalBias = 0.004 * reach;
  }

  #water(level) {
    const { low, high } = this.run.meta, size = 6 * Math.max(high[0] - low[0], high[1] - low[1]);
    const material = new THREE.MeshBasicMaterial({ color: 0x2c7fa8, transparent: true, opacity: 0.42, side: THREE.DoubleSide, depthWrite: false });
    this.sea = new THREE.Mesh(new THREE.PlaneGeometry(size, size), material);
    this.sea.position.set((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, level);
    this.sea.renderOrder = 2;
    this.scene.add(this.sea);
  }

  draw(frame, view, look) {
    const { gl, scene } = this, pixel = gl.domElement.width / view.width;
    this.edge.value = look.edges ? [...look.edge.slice(0, 3).map((c) => (c / 255) ** 2.2), look.edge[3]] : [0, 0, 0, 0];
    scene.background = (this.paper ??= new THREE.Color()).set(look.paper);
    const matrix = new THREE.Matrix4(), turn = new THREE.Quaternion(), place = new THREE.Vector3(), one = new THREE.Vector3(1, 1, 1);
    const colour = new THREE.Color();
    for (const mesh of this.meshes) {
      mesh.visible = mesh.userData.glass ? look.walls : true;
      mesh.userData.blocks.forEach((i, k) => {
        place.fromArray(frame.place, 3 * i);
        turn.fromArray(frame.turn, 4 * i);
        mesh.setMatrixAt(k, matrix.compose(place, turn, one));
        mesh.setColorAt(k, colour.setRGB(frame.colour[3 * i] / 255, frame.colour[3 * i + 1] / 255, frame.colour[3 * i + 2] / 255, "srgb"));
      });
      mesh.instanceMatrix.needsUpdate = mesh.instanceColor.needsUpdate = true;
      mesh.boundingSphere = null; // of all its instances: picking would use the old one
    }
    gl.setPixelRatio(1);
    gl.setSize(Math.round(view.width * pixel), Math.round(view.height * pixel), false);
    gl.render(scene, view.place());
  }

  /** Block at a point of the stage (CSS pixels); -1 for none. Glass lets the pointer through. */
  pick(view, px, py) {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * px) / view.width - 1, 1 - (2 * py) / view.height), view.place());
    const [hit] = ray.intersectObjects(this.meshes.filter((m) => m.visible && !m.userData.glass), false);
    return hit ? hit.object.userData.blocks[hit.instanceId] : -1;
  }
};
