// Reads the project's own modules below `src` and `packages` and their imports, as text. Every check of the structure starts here.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const source = join(root, 'src')

/** Where the packages of the repository are, as a path of modules begins. */
export const packages = 'packages'

const aliases = {
  '#shared/': 'shared/',
  '#core/': 'main/core/',
  '#adapters/': 'main/adapters/',
  '#host/': 'main/host/',
}
/** The doors of a package: what the app may import of it. Its other files are its own. */
export const doors = {
  '#overlay': 'packages/overlay/src/index.ts',
  '#overlay/node': 'packages/overlay/src/node.ts',
  '#overlay/testkit': 'packages/overlay/src/index.testkit.ts',
}
const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g

/** True for a file that only tests use. */
export function isTest(path) {
  return /\.(test|contract|testkit)\.tsx?$/.test(path)
}

/**
 * Every TypeScript file below `folder`, except declarations: its path from there with `/`, its text and its line
 * count. `imports` holds the specifiers as written, and `targets` the project files that they name. Without a folder, all
 * of `src` and of the packages.
 */
export function readModules(folder) {
  return folder === undefined
    ? [...readFolder(source), ...readFolder(join(root, packages), `${packages}/`)]
    : readFolder(folder)
}

/** What a build made, and the settings of a package's tools. */
const notSource = /(?:^|\/)(?:out|node_modules)\/|\.config\.ts$/

function readFolder(folder, prefix = '') {
  const paths = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !notSource.test(path))
    .sort()
  return paths.map((path) => toModule(prefix + path, readFileSync(join(folder, path), 'utf8')))
}

/** A file by its path from `src`, or from the project for a package, and its text, as the checks see it. */
export function toModule(path, text) {
  const imports = [...text.matchAll(importPattern)].map((match) => match[1] ?? match[2] ?? match[3])
  const targets = imports.map((specifier) => resolveImport(path, specifier)).filter((target) => target !== undefined)
  return { path, text, lines: text.split('\n').length - 1, imports, targets, isTest: isTest(path) }
}

/** The project file that a specifier names, as a path from `src`; undefined for a package of others. */
export function resolveImport(from, specifier) {
  if (Object.hasOwn(doors, specifier)) return doors[specifier]
  const alias = Object.keys(aliases).find((prefix) => specifier.startsWith(prefix))
  if (alias) return aliases[alias] + specifier.slice(alias.length)
  if (!specifier.startsWith('.')) return undefined
  return normalize(join(dirname(from), specifier))
    .split(sep)
    .join('/')
}

/** Whether `path` is the folder itself or lies in it. */
export function isWithin(path, folder) {
  return path === folder || path.startsWith(`${folder}/`)
}

/** The texts of the project's code outside `src`: integration tests, benchmarks and tools. */
export function readOtherTexts() {
  return ['integration', 'e2e', 'bench/src', 'scripts', 'bin'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
  )
}
