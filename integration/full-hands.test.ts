import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { promptFileAccess } from '#core/approval/file-policy.ts'
import { noRules } from '#core/approval/rules.ts'
import { isQuick, runs, testSize, timeLimit } from '#core/ports/test-size.testkit.ts'
import { keepChanges } from '#core/trial/keep.ts'
import { openTrial } from '#core/trial/open-trial.ts'
import { createMemoryBlobStore, createOverlayTransaction, emptyTree, type Tree } from '#overlay'
import { nodeHashing } from '#overlay/node'
import type { LayerId } from '#shared/model/ids.ts'
import { createDiskBaseTree } from '../src/main/adapters/disk/disk-base-tree.ts'
import { createBranchMounts } from '../src/main/adapters/mounts/branch-mounts.ts'
import { findStrategies } from '../src/main/adapters/mounts/mounts-world.testkit.ts'
import { createRipgrepSearch } from '../src/main/adapters/search/ripgrep-search.ts'

/**
 * The law of a folder with many hands in it: four agents run commands at once, two of them on forks, while a person edits,
 * commits, stashes and installs in the same folder and a server of the person writes its cache. Whatever one of them left is
 * there afterwards, where it was left, or where the one who left it is told that it is. And no command is said to have
 * changed what it did not.
 */

const never = new AbortController().signal
const strategies = await findStrategies()
const execute = promisify(execFile)

const git = 'git -c user.name=n -c user.email=e'
/** Ignored files that everybody writes. */
const ignored = ['dist/out', 'node_modules/dep/index', 'node_modules/dep/lib/x', '.venv/bin/tool', 'build.log'] as const
const sources = ['src/a', 'src/b', 'notes'] as const
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), at: fc.constantFrom(...ignored) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), at: fc.constantFrom(...sources) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('own' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      at: fc.constantFrom<string>('node_modules/dep', 'node_modules', 'dist/out', '.venv/bin'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('install' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('commit' as const, 'stash' as const, 'branch' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pack' as const) }) },
)
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never
const step = fc.record({ agent: fc.nat(3), act, beside: fc.option(act, { freq: 3 }) })

const isAt = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)
const isSource = (path: string) => sources.some((source) => source === path) || path.startsWith('made-')
const write = (path: string, token: string) => `mkdir -p $(dirname ${path}); echo ${token} > ${path}`

/** What an act leaves by path; null for what it removes. */
function leftBy(one: Act, token: string): ReadonlyMap<string, string | null> {
  if (one.kind === 'write') return new Map([[one.at, token]])
  if (one.kind === 'own') return new Map([`made-${token}`, `node_modules/${token}/x`].map((path) => [path, token]))
  if (one.kind === 'remove')
    return new Map(ignored.filter((path) => isAt(path, one.at)).map((path) => [path as string, null]))
  if (one.kind === 'install')
    return new Map([
      ['node_modules/dep/lib/x', null],
      ['node_modules/dep/index', token],
    ])
  return new Map()
}

function scriptOf(one: Act, token: string): string {
  switch (one.kind) {
    case 'write':
      return write(one.at, token)
    case 'own':
      return [...leftBy(one, token).keys()].map((path) => write(path, token)).join('; ')
    case 'remove':
      return `rm -rf ${one.at}`
    case 'install':
      return `rm -rf node_modules/dep; ${write('node_modules/dep/index', token)}`
    // Git refuses where another git is at work, as it does in the folder. Only what it did counts.
    case 'commit':
      return `${git} commit -q --allow-empty -m ${token} && echo did ${token}`
    case 'stash':
      return `echo ${token} > s; ${git} stash push -q -m ${token} -- s && echo did ${token}`
    case 'branch':
      return `${git} commit-tree -m ${token} HEAD^{tree} > $HOME/id && git branch ${token} $(cat $HOME/id) && echo did ${token}`
    case 'pack':
      return 'git pack-refs --all; git gc -q'
  }
}

/** Lines of `path token` of all that was written, and of the subjects that git shows. */
const look = `grep -rHs '' dist node_modules .venv build.log src notes made-* ~/kept; echo --; (${git} log --all --format=%s; git log -g --format=%gs refs/stash) 2>/dev/null; echo --`

interface Seen {
  readonly files: ReadonlyMap<string, string>
  readonly subjects: ReadonlySet<string>
  /** What the act did in git. */
  readonly did: readonly string[]
}

function seenIn(output: string, home: string): Seen {
  const [files = '', subjects = '', rest = ''] = output.split('--\n')
  const lines = [...files.matchAll(/^(.*):(.*)$/gm)]
  return {
    files: new Map(lines.map(([, path = '', text = '']) => [path.replace(`${home}/`, '~/'), text])),
    subjects: new Set(subjects.split('\n').map((line) => line.replace(/^On \S+: /, ''))),
    did: [...rest.matchAll(/^did (\S+)$/gm)].map(([, token = '']) => token),
  }
}

/** One who leaves things, and what must still be there. */
interface Ledger {
  /** Null for what was removed. */
  readonly files: Map<string, string | null>
  readonly subjects: Set<string>
}

interface Agent extends Ledger {
  readonly name: string
  readonly kept: Map<string, string>
  tree: Tree
  environment: readonly LayerId[]
}

function openFolder(strategy: (typeof strategies)[number]) {
  const above = mkdtempSync(join(tmpdir(), 'coppice-hands-'))
  const root = join(above, 'root')
  mkdirSync(join(root, 'home'), { recursive: true })
  const mounts = createBranchMounts({
    ...{ rootFolder: root, mountsFolder: join(above, 'data/views'), probe: async () => strategy, mostInStack: 6 },
  })
  const search = createRipgrepSearch({ rootFolder: root, temporaryFolder: join(above, 'data') })
  const blobs = createMemoryBlobStore(nodeHashing)
  const services = {
    mounts,
    blobs,
    search,
    foldersBeside: [],
    hashing: nodeHashing,
    base: createDiskBaseTree(root, null),
  }
  const env = { ...process.env, HOME: join(above, 'home') }
  mkdirSync(env.HOME)
  return {
    ...{ root, services, env },
    onDisk: async (script: string) => (await execute('bash', ['-c', script], { cwd: root, env })).stdout,
    async [Symbol.asyncDispose]() {
      await mounts[Symbol.asyncDispose]()
      search[Symbol.dispose]()
      rmSync(above, { recursive: true, force: true })
    },
  }
}
type Folder = ReturnType<typeof openFolder>

const access = promptFileAccess({ interruptOn: new Map(), commands: 'before', rules: noRules } as never)

async function runCommand({ services }: Folder, agent: Agent, one: Act, token: string, ofPerson: ReadonlySet<string>) {
  const branch = createOverlayTransaction({ ...services, tree: agent.tree })
  const { environment, name } = agent
  await using trial = await openTrial(services, { owner: name, branch, access, environment, lifetime: 'reused' }, never)
  const { view } = trial
  for (const { path, keptAs } of view.evicted)
    for (const [own, version] of agent.files) {
      if (!isAt(`/${own}`, path)) continue
      if (version !== null && keptAs !== null) agent.kept.set(keptAs + `/${own}`.slice(path.length), version)
      expect(version === null || keptAs !== null, `${own} of ${name} has a new name`).toBe(true)
      agent.files.delete(own)
    }
  const script = `cd "$0" && export HOME="$1" && { ${look}; ${scriptOf(one, token)}; true; }`
  const [program = '', ...parameters] = view.enter(['bash', '-c', script, view.folder, view.home])
  const { stdout } = await execute(program, parameters)
  const seen = seenIn(stdout, view.home)
  for (const [path, version] of agent.files) {
    const shown = seen.files.get(path) ?? null
    // A file that is gone shows what the person has put there since.
    if (version === null && shown !== null && ofPerson.has(shown)) continue
    expect([path, shown], `what ${name} left, before ${token}`).toEqual([path, version])
  }
  for (const [path, version] of agent.kept) expect([path, seen.files.get(path)]).toEqual([path, version])
  for (const subject of agent.subjects) expect(seen.subjects, `commits of ${name} before ${token}`).toContain(subject)

  const captured = await trial.capture(true)
  const left = leftBy(one, token)
  const claimed = captured.changes.flatMap(({ kind, path }) => (kind === 'directory' ? [] : [path.slice(1)]))
  expect(
    // A stash that git refused leaves the file that it should have taken, and the next one takes it back.
    claimed.filter((path) => !(isSource(path) && left.has(path)) && !(path === 's' && one.kind === 'stash')),
    `${name} did not change this in ${token}`,
  ).toEqual([])
  await keepChanges(branch, captured.changes, trial)
  agent.tree = branch.tree
  agent.environment = captured.environment
  // What the person saved meanwhile is shown, and the result says where the agent's version is.
  const beside = new Map(captured.notKept?.map(({ path, keptAs }) => [path.slice(1), keptAs ?? null]))
  for (const [path, version] of left) {
    const keptAs = beside.get(path)
    if (keptAs === undefined) agent.files.set(path, version)
    else if (version !== null) {
      expect(keptAs, `${path} of ${name} has a new name`).not.toBe(null)
      agent.kept.set(keptAs ?? '', version)
    }
  }
  for (const path of [...agent.files.keys()])
    if (one.kind === 'remove' && isAt(path, one.at)) agent.files.set(path, null)
  for (const subject of seen.did) agent.subjects.add(subject)
}

const commands = testSize(isQuick() ? 16 : 1_000, 1_000)
const story = fc.array(step, { minLength: commands, maxLength: commands })

it.each(strategies)(
  'nothing that a person or one of four agents left is lost ($kind)',
  async (strategy) => {
    const property = fc.asyncProperty(story, async (steps) => {
      await using folder = openFolder(strategy)
      await folder.onDisk(
        `git init -q --template= -b main .; printf 'dist/\\nnode_modules/\\n*.log\\n' > .gitignore; mkdir -p .venv src; echo '*' > .venv/.gitignore
        for f in ${sources.slice(0, 2).join(' ')} s; do echo start > $f; done; git add .; ${git} commit -qm start; git config gc.auto 0`,
      )
      const person: Ledger = { files: new Map(), subjects: new Set(['start']) }
      const everOfPerson = new Set(['start'])
      let hands = Promise.resolve()
      const actOfPerson = (one: Act, token: string) => {
        hands = hands.then(async () => {
          everOfPerson.add(token)
          const output = await folder.onDisk(`${scriptOf(one, token)}; true`)
          for (const [, done = ''] of output.matchAll(/^did (\S+)$/gm)) person.subjects.add(done)
          for (const [path, version] of leftBy(one, token)) person.files.set(path, version)
          for (const path of [...person.files.keys()])
            if (one.kind === 'remove' && isAt(path, one.at)) person.files.set(path, null)
        })
      }
      const server = spawn(
        'bash',
        ['-c', 'while mkdir -p node_modules/.vite; do echo $RANDOM > node_modules/.vite/deps; sleep 0.01; done 2>&-'],
        { cwd: folder.root, stdio: 'ignore' },
      )
      try {
        const agents: Agent[] = []
        const begin = (name: string, of?: Agent) => {
          const [files, kept] = [new Map(of?.files), new Map(of?.kept)]
          const { tree = emptyTree, environment = [], subjects = [] } = of ?? {}
          agents.push({ name, files, kept, subjects: new Set(subjects), tree, environment })
        }
        let hasFailed = false
        const fail = (error: unknown) => {
          hasFailed = true
          throw error
        }
        const work = async (name: number, its: readonly (readonly [number, (typeof steps)[number]])[]) => {
          for (const [at, { act: one, beside }] of its) {
            if (hasFailed) return
            if (beside) actOfPerson(beside, `person-${at}`)
            const agent = agents[name]
            if (agent) await runCommand(folder, agent, one, `agent-${at}`, everOfPerson).catch(fail)
          }
        }
        const numbered = [...steps.entries()]
        const start = Math.min(5, Math.floor(steps.length / 4))
        begin('root')
        await work(0, numbered.slice(0, start))
        begin('first fork', agents[0])
        begin('second fork', agents[0])
        begin('another root')
        const ended = await Promise.allSettled(
          agents.map((_, name) =>
            work(
              name,
              numbered.slice(start).filter(([, { agent }]) => agent === name),
            ),
          ),
        )
        for (const end of ended) if (end.status === 'rejected') throw end.reason
        await hands
        for (const agent of agents) await runCommand(folder, agent, { kind: 'pack' }, 'end', everOfPerson)
      } finally {
        server.kill()
        await hands
      }
      const seen = seenIn(await folder.onDisk(`${look}; true`), folder.env.HOME)
      for (const [path, version] of person.files)
        if (!path.startsWith('src/')) expect([path, seen.files.get(path) ?? null]).toEqual([path, version])
      for (const subject of person.subjects) expect(seen.subjects).toContain(subject)
      const foreign = [...seen.files.values(), ...seen.subjects].filter((text) => text.startsWith('agent-'))
      expect(foreign, 'nothing of an agent is in the folder').toEqual([])
    })
    await fc.assert(property, { ...runs(1, 20), endOnFailure: true })
  },
  timeLimit(30 * 60_000),
)
