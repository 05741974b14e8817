import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startModelServer } from '../../../e2e/model-server/model-server.ts'
import { coppice, root } from '../../../e2e/support/coppice.ts'
import { temporaryFolder } from '../support/folders.ts'
import { figuresOf, type Sample, sideBySide, timed } from '../support/measure.ts'
import { memoryOf, serve } from '../support/served.ts'

const runs = 11
const execute = promisify(execFile)

export function measureVersion(): Promise<readonly number[]> {
  return figuresOf(() => timed(() => coppice(['--version'])), { runs })
}

/** The shortest time in which this machine starts and ends a Node process. */
export function measureEmptyNode(): Promise<readonly number[]> {
  return figuresOf(() => timed(() => execute(process.execPath, ['-e', '0'])), { runs })
}

/**
 * Milliseconds from the start of the process until the first request reaches the model. Each run is the first one of
 * a new project.
 */
export async function measureFirstRequest(): Promise<readonly number[]> {
  await using asked = await countingServer()
  return await figuresOf(() => firstRequest(asked), { runs })
}

/** The same with 500 commands and 200 skills of the project and the home, beside a project and a home without them. */
export async function measureDefinitions(): Promise<{ readonly coppice: Sample; readonly peer: Sample }> {
  await using asked = await countingServer()
  return await sideBySide(
    () => firstRequest(asked, writeDefinitions),
    () => firstRequest(asked, () => undefined),
    { runs },
  )
}

interface CountingServer extends AsyncDisposable {
  readonly url: string
  /** When the last request came, as of `performance.now`. */
  askedAt(): number
}

async function countingServer(): Promise<CountingServer> {
  let askedAt = Number.NaN
  const server = await startModelServer(() => {
    askedAt = performance.now()
    return { text: 'Done.' }
  })
  return {
    url: server.url,
    askedAt: () => askedAt,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** `prepare` fills the project and the home of a run in a folder that is trusted. Without it, the folder is not. */
async function firstRequest(
  { url, askedAt }: CountingServer,
  prepare?: (project: string, home: string) => void,
): Promise<number> {
  using folder = temporaryFolder()
  const project = makeProject(folder.path)
  const home = join(folder.path, 'home')
  mkdirSync(home)
  prepare?.(project, home)
  const started = performance.now()
  const environment = { ANTHROPIC_API_KEY: 'sk-bench', ANTHROPIC_BASE_URL: url, ...(prepare && { HOME: home }) }
  const given = ['run', project, '--task', 'Say hello', '--data-dir', join(folder.path, 'data')]
  const { code, stderr } = await coppice([...given, ...(prepare ? ['--trust'] : [])], environment)
  if (code !== 0) throw new Error(`coppice run ended with ${code}: ${stderr}`)
  return askedAt() - started
}

function writeDefinitions(project: string, home: string): void {
  for (let index = 0; index < 250; index += 1) {
    for (const folder of [project, home]) {
      const file = join(folder, '.claude/commands', `part-${index % 10}`, `command-${index}.md`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `---\ndescription: Command ${index}\nargument-hint: [file]\n---\nLook at $1 and fix it.\n`)
    }
  }
  for (let index = 0; index < 100; index += 1) {
    for (const [folder, name] of [
      [join(project, '.claude/skills'), `project-skill-${index}`],
      [join(home, '.claude/skills'), `own-skill-${index}`],
    ] as const) {
      mkdirSync(join(folder, name), { recursive: true })
      writeFileSync(join(folder, name, 'SKILL.md'), skill(name))
    }
  }
}

const skill = (name: string): string =>
  `---\nname: ${name}\ndescription: How to do what ${name} is about.\n---\n${'Do it with care.\n'.repeat(100)}`

/** Megabytes that the host of an unused project holds two seconds after its start. */
export function measureIdleMemory(): Promise<readonly number[]> {
  return figuresOf(
    async () => {
      using folder = temporaryFolder()
      await using served = await serve(join(folder.path, 'data'), makeProject(folder.path))
      await delay(2_000)
      return memoryOf(served.pid).nowMb
    },
    { runs: 5 },
  )
}

/** A copy of the small project of the end-to-end specs. */
export function makeProject(folder: string): string {
  const project = join(folder, 'ledger')
  cpSync(join(root, 'e2e/fixtures/ledger'), project, { recursive: true })
  return project
}
