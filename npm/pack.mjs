// Writes two packages for npm: `node npm/pack.mjs VERSION PROGRAM OUT` makes OUT/cm, the launcher, and OUT/cm-PLATFORM-ARCH
// with the program for the platform that this runs on. Nothing is published.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [version, program, out] = process.argv.slice(2);
if (!out) {
  console.error("usage: node npm/pack.mjs VERSION PROGRAM OUT");
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const launcher = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const platform = `${process.platform}-${process.arch}`;
const dependencies = launcher.optionalDependencies;
if (!(`${launcher.name}-${platform}` in dependencies)) {
  console.error(`npm/package.json names no package for ${platform}`);
  process.exit(1);
}

function write(folder, manifest, files) {
  for (const [, to] of files) mkdirSync(dirname(join(folder, to)), { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [from, to] of files) copyFileSync(from, join(folder, to));
}

const texts = ["LICENSE-APACHE", "LICENSE-MIT"].map((name) => [join(root, name), name]);
write(
  join(out, "cm"),
  {
    ...launcher,
    version,
    optionalDependencies: Object.fromEntries(Object.keys(dependencies).map((name) => [name, version])),
  },
  [...texts, [join(root, "README.md"), "README.md"], [join(here, "cm.js"), "cm.js"]],
);

const name = process.platform === "win32" ? "cm.exe" : "cm";
const folder = join(out, `cm-${platform}`);
write(
  folder,
  {
    name: `${launcher.name}-${platform}`,
    version,
    description: `The program of ${launcher.name} for ${platform}`,
    license: launcher.license,
    os: [process.platform],
    cpu: [process.arch],
    // The program is linked with the GNU C library.
    ...(process.platform === "linux" ? { libc: ["glibc"] } : {}),
    files: ["bin", "LICENSE-APACHE", "LICENSE-MIT"],
    preferUnplugged: true,
  },
  [...texts, [program, join("bin", name)]],
);
chmodSync(join(folder, "bin", name), 0o755);
