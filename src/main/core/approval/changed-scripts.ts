import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { nameOf, parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'

/** Files that say what a program runs, by the program. A command runs what stands in them without naming them. */
const recipes = new Map<string, readonly string[]>([
  ...['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx'].map((name) => [name, ['package.json']] as const),
  ...['make', 'gmake'].map((name) => [name, ['Makefile', 'makefile', 'GNUmakefile']] as const),
  ['just', ['justfile', 'Justfile', '.justfile']],
  ['task', ['Taskfile.yml', 'Taskfile.yaml']],
  ['cargo', ['Cargo.toml', 'build.rs']],
  ['rake', ['Rakefile']],
  ['bundle', ['Gemfile', 'Rakefile']],
  ['composer', ['composer.json']],
  ['deno', ['deno.json', 'deno.jsonc']],
  ['mvn', ['pom.xml']],
  ['gradle', ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']],
  ['gradlew', ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']],
  ['cmake', ['CMakeLists.txt']],
  ['pytest', ['conftest.py', 'pyproject.toml', 'pytest.ini']],
  ['tox', ['tox.ini']],
  ['nox', ['noxfile.py']],
  ['uv', ['pyproject.toml']],
  ['poetry', ['pyproject.toml']],
])

/**
 * The changed files that a command line names or takes its steps from. A rule that allows the line also allows whatever
 * an agent writes into them. Sorted. What such a file runs in turn is not followed.
 */
export function changedScripts(line: string, changed: Iterable<VirtualPath>): readonly VirtualPath[] {
  const words = line.split(/[^\p{L}\p{N}_./@+~-]+/u).filter(Boolean)
  const named = new Set(words.flatMap(pathOf))
  const recipeNames = new Set(words.flatMap((word) => recipes.get(word.slice(word.lastIndexOf('/') + 1)) ?? []))
  return [...changed].filter((path) => named.has(path) || recipeNames.has(nameOf(path))).sort(byCodeUnit)
}

function pathOf(word: string): readonly VirtualPath[] {
  const parsed = parseVirtualPath(word)
  return parsed.ok ? [parsed.value] : []
}
