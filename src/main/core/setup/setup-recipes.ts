import type { SetupProposal } from '#shared/model/setup.ts'
import { joinPath } from '#shared/model/virtual-path.ts'
import { otherTools } from './other-tools.ts'
import type { SetupFolder, SetupRecipe } from './setup-folder.ts'

/** What the project says itself comes first. */
export const recipes: readonly SetupRecipe[] = [
  ...otherTools,
  node,
  python,
  byFile('Cargo.lock', ['Cargo.toml'], 'cargo fetch --locked', 'cargo'),
  withoutLock('Cargo.toml', 'Cargo.lock', 'cargo fetch', 'cargo'),
  byFile('go.mod', ['go.sum'], 'go mod download', 'go'),
  maven,
  gradle,
  ruby,
  byFile('composer.lock', ['composer.json'], 'composer install --no-interaction', 'packagist'),
  withoutLock('composer.json', 'composer.lock', 'composer install --no-interaction', 'packagist'),
]

/** `beside` are further inputs, which count if the folder has them. */
function proposal(
  folder: SetupFolder,
  file: string,
  beside: readonly string[],
  command: string,
  registry: string | null,
): SetupProposal {
  return {
    command,
    inputs: [file, ...beside.filter((name) => folder.has(name))],
    hosts: registry === null ? [] : [`preset:${registry}`],
    source: joinPath(folder.path, file),
  }
}

function byFile(file: string, beside: readonly string[], command: string, registry: string): SetupRecipe {
  return async (folder) => (folder.has(file) ? proposal(folder, file, beside, command, registry) : undefined)
}

function withoutLock(file: string, lock: string, command: string, registry: string): SetupRecipe {
  return async (folder) =>
    folder.has(file) && !folder.has(lock) ? proposal(folder, file, [], command, registry) : undefined
}

/** What the person's cache holds is not asked for again. */
const npmCi = 'npm ci --prefer-offline --no-audit --no-fund'

async function node(folder: SetupFolder): Promise<SetupProposal | undefined> {
  const beside = ['package.json', '.npmrc', '.yarnrc.yml', 'pnpm-workspace.yaml']
  const yarn = folder.has('.yarnrc.yml')
    ? 'yarn install --immutable'
    : 'yarn install --frozen-lockfile --non-interactive'
  const locks: readonly (readonly [string, string])[] = [
    ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
    ['yarn.lock', yarn],
    ['bun.lock', 'bun install --frozen-lockfile'],
    ['bun.lockb', 'bun install --frozen-lockfile'],
    ['package-lock.json', npmCi],
    ['npm-shrinkwrap.json', npmCi],
  ]
  const lock = locks.find(([file]) => folder.has(file))
  if (lock !== undefined) return proposal(folder, lock[0], beside, lock[1], 'npm')
  const isNeeded =
    folder.has('package.json') && /"(dev)?dependencies"\s*:\s*\{\s*"/i.test(await folder.read('package.json'))
  return isNeeded
    ? proposal(folder, 'package.json', [], 'npm install --prefer-offline --no-audit --no-fund', 'npm')
    : undefined
}

async function python(folder: SetupFolder): Promise<SetupProposal | undefined> {
  if (folder.has('uv.lock')) return proposal(folder, 'uv.lock', ['pyproject.toml'], 'uv sync --frozen', 'pypi')
  if (folder.has('poetry.lock')) {
    const command = 'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction'
    return proposal(folder, 'poetry.lock', ['pyproject.toml'], command, 'pypi')
  }
  if (!folder.has('requirements.txt')) return undefined
  const command = 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt'
  return proposal(folder, 'requirements.txt', ['requirements-dev.txt'], command, 'pypi')
}

async function maven(folder: SetupFolder): Promise<SetupProposal | undefined> {
  const program = folder.has('mvnw') ? './mvnw' : 'mvn'
  return folder.has('pom.xml')
    ? proposal(folder, 'pom.xml', [], `${program} -B -q dependency:go-offline`, 'maven')
    : undefined
}

async function gradle(folder: SetupFolder): Promise<SetupProposal | undefined> {
  const file = ['build.gradle.kts', 'build.gradle'].find((name) => folder.has(name))
  const program = folder.has('gradlew') ? './gradlew' : 'gradle'
  const beside = ['settings.gradle', 'settings.gradle.kts', 'gradle.lockfile']
  return file === undefined ? undefined : proposal(folder, file, beside, `${program} --no-daemon dependencies`, 'maven')
}

async function ruby(folder: SetupFolder): Promise<SetupProposal | undefined> {
  const file = ['Gemfile.lock', 'Gemfile'].find((name) => folder.has(name))
  const command = 'bundle config set --global path "$HOME/.bundle/gems" && bundle install'
  return file === undefined ? undefined : proposal(folder, file, ['Gemfile'], command, 'rubygems')
}
