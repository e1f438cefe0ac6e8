// Runs before the other scripts: an older Node would end in a stack that names no version.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This project needs Node 22.18 or later, and this is ${process.version}. Run: nvm install 24 (or see https://nodejs.org)`,
  );
  process.exit(1);
}
