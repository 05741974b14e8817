import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import { byTask, type Call } from '../e2e/model-server/scenario.ts'
import { openWorld } from './world.testkit.ts'

/** Tests have a home of their own, but the tool chains are in the real one. */
const { homedir: home } = userInfo()
const environment = { ...process.env, RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(home, '.rustup') }
const has = (program: string, ...parameters: readonly string[]) =>
  spawnSync(program, parameters, { env: environment }).status === 0
const execute = (command: string): Call => ({ name: 'execute', input: { command } })
const confined = () => openSandbox([], { home, environment })
type World = Awaited<ReturnType<typeof openWorld>>

/** What each command printed, and how it ended. */
const resultsOf = ({ thread }: World, id: ThreadId): readonly string[] =>
  [...thread(id).calls.values()].map((call) =>
    (resultOf(call)?.content ?? []).map((part) => ('text' in part ? part.text : '')).join(''),
  )

/** Runs the first commands in the workspace and the others in a subagent that forks from it. */
async function runAndFork(
  files: Readonly<Record<string, string>>,
  first: readonly string[],
  inFork: readonly string[],
) {
  const script = {
    main: [
      ...first.map((command) => ({ calls: [execute(command)] })),
      { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'fork' }] } }] },
      { text: 'Done.' },
    ],
    fork: [...inFork.map((command) => ({ calls: [execute(command)] })), { text: 'Done.' }],
  }
  const world = await openWorld(byTask(script), { files, approving: true, openSandbox: confined })
  const id = await world.run('main')
  const [fork] = childrenOf(world.project.services.log.state, id)
  return { here: resultsOf(world, id), fork: fork ? resultsOf(world, fork.id) : [] }
}

/** Runs commands in the workspace of a project whose folder was changed first. */
async function runIn(changeFolder: (folder: string) => void, commands: readonly string[]) {
  const script = [...commands.map((command) => ({ calls: [execute(command)] })), { text: 'Done.' }]
  const world = await openWorld(byTask({ main: script }), {
    files: { 'a.txt': 'one\n' },
    approving: true,
    openSandbox: confined,
    changeFolder,
  })
  return resultsOf(world, await world.run('main'))
}

const git = (folder: string, ...parameters: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=Me', '-c', 'user.email=me@example.com', ...parameters], { cwd: folder })
const asMe = 'git config user.name Me; git config user.email me@example.com'

function makeRepository(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main')
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'first')
}

describe('a fork of a branch that was built', () => {
  const hasCompiler = has('cc', '--version')
  const sources = {
    '.gitignore': 'build/\n*.o\napp\n',
    'main.c': 'int one(void); int two(void); int main(void) { return one() + two() - 3; }\n',
    'one.c': 'int one(void) { return 1; }\n',
    'two.c': 'int two(void) { return 2; }\n',
  }

  it.runIf(hasCompiler && has('make', '--version'))('compiles only what changed with make', async () => {
    const makefile = 'app: main.o one.o two.o\n\t$(CC) -o $@ $^\n%.o: %.c\n\t$(CC) -c -o $@ $<\n'
    const { here, fork } = await runAndFork(
      { ...sources, Makefile: makefile },
      ['echo "/* agent */" >> two.c; make && ./app && echo right'],
      ['make && ./app && echo right', 'echo "/* more */" >> one.c; make && ./app && echo right'],
    )
    expect(here[0]).toContain('right\n\nExit code 0')
    expect(fork[0]).toContain('right\n')
    expect(fork[0]).not.toContain(' -o ')
    expect(fork[1]?.match(/ -c -o \w+\.o/g)).toEqual([' -c -o one.o'])
  })

  it.runIf(hasCompiler && has('cmake', '--version'))('compiles only what changed with CMake', async () => {
    const lists = 'cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(app main.c one.c two.c)\n'
    const build = 'cmake -S . -B build > /dev/null && cmake --build build && build/app && echo right'
    const { here, fork } = await runAndFork(
      { ...sources, 'CMakeLists.txt': lists },
      [`echo "/* agent */" >> two.c; ${build}`],
      [build, `echo "/* more */" >> one.c; ${build}`],
    )
    expect(here[0]).toContain('right\n\nExit code 0')
    expect(fork[0]).toContain('right\n')
    expect(fork[0]).not.toContain('Building')
    expect(fork[1]?.match(/Building C object \S+/g)).toEqual(['Building C object CMakeFiles/app.dir/one.c.o'])
  })

  const hasRustup = existsSync(environment.RUSTUP_HOME) && has('cargo', '--version')
  it.runIf(hasCompiler && hasRustup)('compiles nothing again with the Rust of rustup', async () => {
    const manifest = '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n'
    const { here, fork } = await runAndFork(
      { '.gitignore': 'target/\n', 'Cargo.toml': manifest, 'src/main.rs': 'fn main() { println!("right") }\n' },
      ['cargo run'],
      ['cargo run'],
    )
    expect(here[0]).toMatch(/Compiling app[\s\S]*right\n/)
    expect(fork[0]).toContain('right\n')
    expect(fork[0]).not.toContain('Compiling')
  })

  it.runIf(has('/usr/bin/python3', '-c', 'import venv'))('uses the Python environment that was made', async () => {
    const { here, fork } = await runAndFork(
      { '.gitignore': '.venv/\n', 'answer.py': 'print(__import__("installed").answer)\n' },
      [
        `/usr/bin/python3 -m venv --without-pip .venv && cd .venv/lib/python3*/site-packages && echo 'answer = 42' > installed.py; cd - > /dev/null; .venv/bin/python answer.py`,
      ],
      ['. .venv/bin/activate; python answer.py; echo $VIRTUAL_ENV; pwd'],
    )
    expect(here[0]).toMatch(/^42\n/)
    expect(fork[0]).toMatch(/^42\n(.*)\/\.venv\n\1\n/)
  })
})

describe('git in a view', () => {
  it('commits, branches, rebases and stashes, and the next commands find all of it', async () => {
    const results = await runIn(makeRepository, [
      `${asMe}; git switch -qc topic && echo two > b.txt && git add . && git commit -qm topic && git log --format=%s`,
      'git switch -q main && echo three > c.txt && git add . && git commit -qm other && git switch -q topic && git rebase -q main && git log --format=%s',
      'echo draft >> a.txt; git stash -q && cat a.txt && git stash pop -q && cat a.txt; git status --short',
      'git branch --format="%(refname:short)"; ls; git fsck --no-dangling',
    ])
    expect(results.map((text) => text.split('\n\nExit')[0])).toEqual([
      'topic\nfirst',
      'topic\nother\nfirst',
      'one\none\ndraft\n M a.txt',
      'main\ntopic\na.txt\nb.txt\nc.txt',
    ])
  })

  it('works in a worktree of a repository elsewhere, of which nothing changes', async () => {
    const listing = (folder: string) =>
      execFileSync('bash', ['-c', `find . -type f -exec sha256sum {} + | sort`], { cwd: folder }).toString()
    let [main, before] = ['', '']
    const results = await runIn(
      (folder) => {
        main = `${folder}-main`
        mkdirSync(main)
        writeFileSync(join(main, 'a.txt'), 'one\n')
        makeRepository(main)
        git(main, 'remote', 'add', 'origin', 'https://me:hunter22@example.com/x.git')
        writeFileSync(join(main, '.git/info/exclude'), '*.log\n')
        rmSync(folder, { recursive: true })
        git(main, 'worktree', 'add', '-q', '-b', 'topic', folder)
        before = listing(main)
      },
      [
        'git status --short --branch; git log --format=%s; git branch --format="%(refname:short)"; git remote -v | head -1; cat .git/config | grep -c hunter',
        `${asMe}; echo two > b.txt; echo l > b.log; git add . && git commit -qm second && git log --format=%s; echo three >> a.txt; git diff --stat | tail -1`,
        'git stash -q && cat a.txt && git stash pop -q; git switch -qc other && git merge-base main HEAD | wc -c; git status --short; git log --format=%s; git fsck --no-dangling',
      ],
    )
    expect(results.map((text) => text.split('\n\nExit')[0])).toEqual([
      '## topic\nfirst\nmain\ntopic\norigin\thttps://[redacted]@example.com/x.git (fetch)\n0',
      'second\nfirst\n 1 file changed, 1 insertion(+)',
      'one\n41\n M a.txt\nsecond\nfirst',
    ])
    expect(listing(main)).toBe(before)
  })

  it('finds the submodules of the project', async () => {
    const results = await runIn(
      (folder) => {
        const library = `${folder}-library`
        mkdirSync(library)
        writeFileSync(join(library, 'lib.txt'), 'library\n')
        makeRepository(library)
        git(folder, 'init', '-q', '-b', 'main')
        git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
        git(folder, 'add', '.')
        git(folder, 'commit', '-qm', 'first')
      },
      [
        'git submodule status | cut -c1,43-; git status --short; git -C lib log --format=%s',
        `cd lib && ${asMe}; echo more >> lib.txt && git commit -qam more && cd .. && git status --short`,
        'git -C lib log --format=%s; cat lib/lib.txt',
      ],
    )
    expect(results.map((text) => text.split('\n\nExit')[0])).toEqual([
      expect.stringMatching(/^ ?lib \(heads\/main\)\nfirst$/),
      ' M lib',
      'more\nfirst\nlibrary\nmore',
    ])
  })
})
