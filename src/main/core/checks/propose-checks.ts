import type { CheckDefinition } from '#shared/model/check.ts'
import { joinPath, rootPath } from '#shared/model/virtual-path.ts'
import { type BaseTree, BaseTreeError } from '../ports/base-tree.ts'

/** A check that the folder calls for. It never runs before a person accepted it. */
export interface ProposedCheck extends CheckDefinition {
  /** The file that it was made from, such as `/package.json`. */
  readonly source: string
}

const defaultTimeoutSeconds = 600
const mostBytes = 256 * 1024
const scriptNames = ['test', 'lint', 'typecheck', 'check', 'build']
const targetNames = ['test', 'check', 'lint']

/** Finds the checks that the files in the project's root call for. Nothing runs. */
export async function proposeChecks(base: BaseTree): Promise<readonly ProposedCheck[]> {
  const read = (name: string) => readText(base, name)
  const found = [
    ...scriptChecks(await read('package.json'), await packageManager(read)),
    ...makefileChecks(await read('Makefile')),
    ...(await pythonChecks(read)),
    ...((await read('Cargo.toml')) === null ? [] : [propose('cargo test', 'cargo test', 'Cargo.toml')]),
    ...((await read('go.mod')) === null ? [] : [propose('go test', 'go test ./...', 'go.mod')]),
  ]
  return found.filter((one, index) => found.findIndex(({ name }) => name === one.name) === index)
}

type ReadFile = (name: string) => Promise<string | null>

function propose(name: string, run: string, file: string): ProposedCheck {
  return {
    ...{ name, run, paths: [], timeoutSeconds: defaultTimeoutSeconds, on: ['branch', 'merge'], required: true },
    source: joinPath(rootPath, file),
  }
}

function scriptChecks(text: string | null, manager: string): readonly ProposedCheck[] {
  const scripts = scriptsIn(text)
  return scriptNames.flatMap((name) => {
    const script = scripts.get(name)
    if (typeof script !== 'string' || script.trim() === '' || /no test specified/.test(script)) return []
    return [propose(name, name === 'test' && manager === 'npm' ? 'npm test' : `${manager} run ${name}`, 'package.json')]
  })
}

function scriptsIn(text: string | null): ReadonlyMap<string, unknown> {
  try {
    const file: unknown = JSON.parse(text ?? 'null')
    if (typeof file !== 'object' || file === null || !('scripts' in file)) return new Map()
    const { scripts } = file
    return typeof scripts === 'object' && scripts !== null ? new Map(Object.entries(scripts)) : new Map()
  } catch {
    return new Map()
  }
}

async function packageManager(read: ReadFile): Promise<string> {
  if ((await read('pnpm-lock.yaml')) !== null) return 'pnpm'
  if ((await read('yarn.lock')) !== null) return 'yarn'
  return (await read('bun.lock')) === null ? 'npm' : 'bun'
}

function makefileChecks(text: string | null): readonly ProposedCheck[] {
  const targets = targetNames.filter((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(text ?? ''))
  return targets.map((name) => propose(`make ${name}`, `make ${name}`, 'Makefile'))
}

async function pythonChecks(read: ReadFile): Promise<readonly ProposedCheck[]> {
  if ((await read('pytest.ini')) !== null) return [propose('pytest', 'python3 -m pytest', 'pytest.ini')]
  const hasSection = /pytest/.test((await read('pyproject.toml')) ?? '')
  return hasSection ? [propose('pytest', 'python3 -m pytest', 'pyproject.toml')] : []
}

/** Null for a file that is not there or cannot be read. */
async function readText(base: BaseTree, name: string): Promise<string | null> {
  try {
    return new TextDecoder().decode(await base.read(joinPath(rootPath, name), { offset: 0, length: mostBytes }))
  } catch (error) {
    if (error instanceof BaseTreeError) return null
    throw error
  }
}
