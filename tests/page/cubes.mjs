// One cube in three formats of mesh files.
import { deflateSync } from "node:zlib";
import { pose } from "./payload.mjs";

const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1].map((x) => (x - 0.5) * 0.2));
const faces = [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]];

function stl() {
  const file = Buffer.alloc(84 + 50 * faces.length);
  file.writeUInt32LE(faces.length, 80);
  faces.forEach((face, i) => face.forEach((corner, k) => corners[corner].forEach((x, axis) => file.writeFloatLE(x, 84 + 50 * i + 12 + 12 * k + 4 * axis))));
  return file;
}
const obj = () => Buffer.from(corners.map((v) => `v ${v.join(" ")}`).join("\n") + "\n" + faces.map((f) => `f ${f.map((i) => i + 1).join(" ")}`).join("\n"));
const dae = () => Buffer.from(`<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_images><image id="i"><init_from>http://127.0.0.1:1/picture.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON><newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam><newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="c"><lambert><diffuse><texture texture="t" texcoord="UV"/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="24">${corners.flat().join(" ")}</float_array><technique_common>
<accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="12" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>${faces.flat().join(" ")}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="m" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`);

export function cubes() {
  return [["stl", stl()], ["obj", obj()], ["dae", dae()]].map(([format, bytes], i) => ({
    link: i, origin: pose([0.1 * i, 0, 0]), scale: [1, 1, 1], format, data: deflateSync(bytes).toString("base64"), file: `cube.${format}` }));
}
