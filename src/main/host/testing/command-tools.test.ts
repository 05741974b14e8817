import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSettingsReader } from '#adapters/git/personal-settings.ts'
import { credentialsInHome } from '#adapters/shell/credential-places.ts'
import type { GitSettings } from '#adapters/shell/git-settings.ts'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'
import { createShell } from '#adapters/shell/shell.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CommandsWorld, openCommandsWorld, type WorldOptions } from './commands-world.testkit.ts'

const { state } = await sandboxHere('tools of commands')
const asCopy: WorldOptions['mounts'] = { probe: async () => ({ kind: 'copy', reason: 'asked for' }) }

const states: readonly (readonly [string, () => WorldOptions])[] = [
  ...(state === 'on' ? ([['sandbox', () => ({})]] as const) : []),
  ...(state === 'on' ? ([['sandbox over a copy', () => ({ mounts: asCopy })]] as const) : []),
  ['no sandbox', () => ({ isUnconfined: true })],
  ['no sandbox, in a copy', () => ({ isUnconfined: true, mounts: asCopy })],
]

const author = { name: 'Ada "Tab\t" Löwe', email: 'ada@example.com' }
const settingsOf = ({ name, email }: typeof author): GitSettings => ({
  values: [
    ['user.name', name],
    ['user.email', email],
  ],
  texts: {},
})

const tools: WorldOptions = {
  home: { '.rustup/settings.toml': 'the toolchain', '.nvm/nvm.sh': 'echo nvm in "$NVM_DIR"', 'go/bin/tool': '' },
  environment: { PATH: process.env.PATH, GOPATH: '/nowhere', JAVA_HOME: '/usr' },
}

const callers = [
  ['sh', `sh -c 'spawn_subagent "from sh"'`],
  ['zsh', `zsh -fc 'spawn_subagent "from zsh"'`],
  [
    '/usr/bin/python3',
    `/usr/bin/python3 -c 'import subprocess; subprocess.run(["spawn_subagent", "from /usr/bin/python3"], check=True)'`,
  ],
  ['make', String.raw`printf 'all:\n\t@spawn_subagent "from make"\n' | make -f -`],
  ['xargs', `echo 'from xargs' | xargs -d '\\n' spawn_subagent`],
  ['env', `env -i PATH="$PATH" spawn_subagent 'from env'`],
] as const

const isThere = (name: string) => {
  try {
    execFileSync('bash', ['-c', `command -v ${name}`])
    return true
  } catch {
    return false
  }
}

describe.each(states)('a command in a view with %s', (_name, options) => {
  let world: CommandsWorld
  beforeAll(async () => {
    world = await openCommandsWorld({ ...options(), ...tools, findGitSettings: async () => settingsOf(author) })
  })
  afterAll(() => world[Symbol.asyncDispose]())
  const declared = (lines: readonly string[]) => lines.map((json) => JSON.parse(json).description)

  it.each(callers.filter(([name]) => isThere(name)))('declares a task from %s', async (name, command) => {
    const outcome = await world.run(command, { declares: true })
    expect([outcome.output, declared(outcome.declared)]).toEqual(['', [`from ${name}`]])
  })

  it('declares tasks after it put folders before PATH, in its own folder too', async () => {
    const script = `PATH=$PWD/bin:/usr/bin:$PATH; cd src; spawn_subagent one; (cd /; spawn_subagent two)`
    expect(declared((await world.run(script, { declares: true })).declared)).toEqual(['one', 'two'])
  })

  it('finds nothing of it in its environment, and can show all of that without declaring', async () => {
    const script = 'env; printenv; export -p; declare -f; cat "$(command -v spawn_subagent)"'
    const { output, declared } = await world.run(script, { declares: true })
    expect(declared).toEqual([])
    const variables = output.slice(0, output.indexOf('#!'))
    expect(variables).not.toMatch(/spawn|subagent|BASH_FUNC|_TASK/i)
    expect(await world.run('command -v spawn_subagent')).toMatchObject({ exitCode: 1, output: '' })
  })

  it('finds the tool chains of the person’s home, and writes below its own', async () => {
    const script = `cat "$RUSTUP_HOME/settings.toml"; echo; . "$NVM_DIR/nvm.sh"; echo "$JAVA_HOME" "$VOLTA_HOME" "$PYENV_ROOT"
      mkdir -p "$CARGO_HOME/registry" "$GOPATH/pkg" && ls -d ~/.cargo/registry ~/go/pkg | wc -l`
    const { output } = await world.run(script)
    expect(output).toBe(`the toolchain\nnvm in ${world.place('home/.nvm')}\n/usr  \n2\n`)
  })

  it('commits as the person, and as somebody else where a setting says so', async () => {
    const script = `git init -q -b main g && cd g && git commit -q --allow-empty -m one
      git -c user.name=Other commit -q --allow-empty -m two
      git config user.email local@example.com && git commit -q --allow-empty -m three; git log --format='%an <%ae> %cn <%ce>'`
    const { output } = await world.run(script)
    const [name, email] = [author.name, author.email]
    expect(output.trim().split('\n')).toEqual(
      [`${name} <local@example.com>`, `Other <${email}>`, `${name} <${email}>`].map((line) => `${line} ${line}`),
    )
  })

  it('is given nothing else of the settings of git', async () => {
    const script = `git config --list --show-origin | grep -v '^file:/etc/gitconfig' | cut -f2- | sort`
    const { output } = await world.run(`cd ~ && ${script}`)
    const suited = ['core.checkstat=minimal', 'core.trustctime=false']
    const given = [...suited, 'include.path=/etc/gitconfig', `user.email=${author.email}`, `user.name=${author.name}`]
    expect(output.trimEnd().split('\n')).toEqual(given)
  })
})

/** The person's settings of git: those that a view has too, and those that it has not. */
const personal = {
  given: {
    'alias.co': 'checkout -q',
    'core.autocrlf': 'input',
    'core.eol': 'lf',
    'core.ignorecase': 'false',
    'core.quotepath': 'false',
    'diff.python.xfuncname': '^def "x" .*$',
    'diff.renames': 'copies',
    'filter.lfs.clean': 'git-lfs clean -- %f',
    'filter.lfs.process': 'git-lfs filter-process',
    'filter.lfs.required': 'true',
    'filter.My.upper.clean': 'tr a-z A-Z',
    'init.defaultbranch': 'trunk',
    'merge.conflictstyle': 'diff3',
    'merge.ours.driver': 'true',
    'pull.rebase': 'true',
    'status.showuntrackedfiles': 'all',
    'user.email': 'me@example.com',
    'user.name': 'A "name" # with \\ all',
  },
  kept: {
    'alias.x': '!curl example.com',
    'alias.y': 'log --author=token=hunter22',
    'core.editor': 'vim',
    'core.fsmonitor': 'false',
    'core.hookspath': '/hooks',
    'core.pager': 'less',
    'credential.helper': 'store',
    'diff.external': 'meld',
    'filter.crypt.clean': 'openssl enc -k password=hunter22',
    'http.extraheader': 'Authorization: hunter22',
    'init.templatedir': '/templates',
    'remote.x.url': 'https://me:hunter22@example.com',
    'url.https://hunter22@example.com/.insteadof': 'x:',
    'user.signingkey': 'hunter22',
  },
}

describe.each(states)('what git says in a view with %s is what it says in the folder', (_name, options) => {
  let world: CommandsWorld
  let git: (...args: readonly string[]) => string
  beforeAll(async () => {
    const variables = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1' }
    let read: (() => Promise<GitSettings>) | undefined
    world = await openCommandsWorld({
      ...options(),
      findGitSettings: async () => (read ? read() : { values: [], texts: {} }),
    })
    const environment = { ...variables, HOME: world.place('home') }
    git = (...args) => execFileSync('git', args, { cwd: world.root, env: environment, encoding: 'utf8' })
    for (const [key, value] of Object.entries({ ...personal.given, ...personal.kept }))
      git('config', '--file', world.place('home/.work'), key, value)
    writeFileSync(world.place('home/.gitconfig'), `[includeIf "gitdir:${world.root}/"]\n\tpath = .work\n`)
    mkdirSync(world.place('home/.config/git'), { recursive: true })
    writeFileSync(world.place('home/.config/git/ignore'), '.DS_Store\n*.mine\n!/src/*.mine\n')
    writeFileSync(world.place('home/.config/git/attributes'), '*.up filter=My.upper\n*.bin filter=lfs\n')
    // In a copy, this link leads elsewhere.
    rmSync(join(world.root, 'absolute'))
    writeFileSync(join(world.root, 'crlf'), 'one\r\n')
    git('init', '-q', '--template=')
    git('add', '-A')
    git('commit', '-qm', 'one')
    read = createSettingsReader(world.root, environment)
  })
  afterAll(() => world[Symbol.asyncDispose]())
  const both = async (script: string) => {
    const bare = execFileSync('bash', ['-c', script], {
      cwd: world.root,
      env: { PATH: process.env.PATH, HOME: world.place('home'), GIT_CONFIG_NOSYSTEM: '1', LANG: 'C.UTF-8' },
      encoding: 'utf8',
    })
    const { output } = await world.run(script, { owner: script })
    return { bare, output }
  }

  // Mutation: without the values in `settingsText`, or with another list in `given-settings.ts`, one of these differs.
  it('has the settings that decide what git stores, and none that holds a secret or runs a program for a person', async () => {
    const ask = (keys: object) =>
      Object.keys(keys)
        .map((key) => `git config --get '${key}'; echo "[$?]"`)
        .join('; ')
    const given = await both(ask(personal.given))
    expect(given.output).toBe(given.bare)
    const { output } = await world.run(`${ask(personal.kept)}; git config --list; env`)
    expect(output).toMatch(/^(\[1\]\n){14}/)
    expect(output).not.toContain('hunter22')
  })

  // Mutation: without `gitVariables`, a view shows and stages `.DS_Store`. A system without git-lfs stages no `t.bin`.
  it.each([
    'mkdir -p src; touch .DS_Store a.mine src/b.mine new ä; git status --short --ignored; git add -A 2>&-; git diff --cached --name-status; git check-ignore -v x.mine | cut -f2; git reset -q; rm -r .DS_Store a.mine src/b.mine new ä',
    'printf "lower\\n" > t.up; head -c 300 /dev/zero > t.bin; git add t.up; git add t.bin 2>&-; git show :t.up; git show :t.bin 2>&-; git reset -q; rm t.up t.bin',
    'printf "x\\r\\n" > crlf; git diff --stat 2>&1; git add crlf 2>&1; git ls-files --eol; git checkout -qf HEAD crlf; printf "one\\r\\n" > crlf',
    'git init -q made; git -C made symbolic-ref HEAD; rm -r made',
  ])('says the same: %s', async (script) => {
    const { bare, output } = await both(script)
    expect(output).toBe(bare)
    expect(bare).not.toBe('')
  })

  it('follows the repository where it names its own file of rules', async () => {
    writeFileSync(world.place('home/.elsewhere'), 'elsewhere\n')
    const look = 'touch elsewhere .DS_Store; git status --short; rm elsewhere .DS_Store'
    for (const file of ['~/.elsewhere', world.place('home/.elsewhere'), 'src/a.txt']) {
      git('config', 'core.excludesFile', file)
      const { bare, output } = await both(look)
      expect([file, output]).toEqual([file, bare])
    }
    git('config', '--unset', 'core.excludesFile')
  })
})

/** Noticed a git that read each file of the project again in each new view. */
it.each(states)('git reads no file to say what changed, in a view with %s', async (_name, options) => {
  await using world = await openCommandsWorld(options())
  const git = (...args: string[]) => execFileSync('git', ['-C', world.root, ...args], { encoding: 'utf8' })
  git('init', '-q')
  for (const name of ['a', 'b', 'c']) {
    writeFileSync(join(world.root, name), 'one\n')
    // Git reads a file again that is not older than its index, whatever else it knows of it.
    utimesSync(join(world.root, name), 1_700_000_000, 1_700_000_000)
  }
  git('add', 'a', 'b', 'c')
  git('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qm', 'one')
  const status = `git status --short -uno; GIT_TRACE2_EVENT="$TMPDIR/trace" git -c core.preloadIndex=false status -uno >&-
    grep -o '"key":"refresh/sum_scan","value":"[0-9]*"' "$TMPDIR/trace"`
  const scanned = (count: number) => `"key":"refresh/sum_scan","value":"${count}"\n`
  const trace = status.slice(status.indexOf('GIT_'))
  for (const owner of ['parent', 'fork']) expect((await world.run(trace, { owner })).output).toBe(scanned(0))
  const { output } = await world.run(`printf 'two\n' > b; ${status}`, { owner: 'fork' })
  expect(output.split('\n')[0]).toBe(' M b')
})

/** Noticed a bind that could be written: a command would change the program of its own call. */
it.runIf(state === 'on')('a command cannot change the program or put another beside it', async () => {
  const findUser = async () => ({ kind: 'root', why: 'as a test wants it' }) as const
  const options = process.getuid?.() === 0 ? { findUser } : {}
  await using world = await openCommandsWorld({ sandbox: await openSandbox([], options), mounts: options })
  const script = `p=$(command -v spawn_subagent); { echo x >> "$p"; rm "$p"; touch "\${p%/*}/more"; } 2>&1; spawn_subagent one`
  const { output, declared } = await world.run(script, { declares: true })
  expect(output.match(/Read-only file system|Permission denied/g)).toHaveLength(3)
  expect(declared).toEqual(['{"description":"one"}'])
})

/** Noticed missing covers, and variables and entries of PATH that may lead anywhere. */
it.runIf(state === 'on')('a command finds no known credential of the home, wherever variables lead', async () => {
  const canary = 'canary-of-home'
  const isFolder = (name: string) => credentialsInHome.some((other) => other.startsWith(`${name}/`))
  const home = Object.fromEntries(
    credentialsInHome.flatMap((name, index) =>
      isFolder(name) ? [] : [[index % 2 === 0 ? name : `${name}/inside`, canary] as const],
    ),
  )
  const above = mkdtempSync(join(tmpdir(), 'coppice-outside-'))
  const places = ['.ssh', '.config', '.docker', '.local/share/uv', '.gem', '.cargo', '.m2', '.gradle', '.composer']
  symlinkSync(above, join(above, 'self'))
  const named = places.map((name) => join(above, 'home', name))
  const variables = [
    'RUSTUP_HOME',
    'NVM_DIR',
    'PYENV_ROOT',
    'SDKMAN_DIR',
    'VOLTA_HOME',
    'JAVA_HOME',
    'GOROOT',
    'ASDF_DIR',
  ]
  const environment = {
    ...Object.fromEntries(variables.map((variable, index) => [variable, named[index]])),
    ...{
      CARGO_HOME: named[5],
      GOPATH: join(above, 'home'),
      PNPM_HOME: named[1],
      MISE_DATA_DIR: join(above, 'self/home'),
    },
  }
  for (const [path, text] of Object.entries(home)) {
    mkdirSync(dirname(join(above, 'home', path)), { recursive: true })
    writeFileSync(join(above, 'home', path), text)
  }
  const path = [...named, join(above, 'self/home/.gem'), process.env.PATH].join(':')
  try {
    const sandbox = await openSandbox([], { home: join(above, 'home'), environment, path })
    await using world = await openCommandsWorld({ sandbox })
    const script = `ls -A "${above}/home"; grep -rs ${canary} "${above}" ~ /tmp /run /home /root /var; echo end`
    const { output } = await world.run(script)
    expect(output).toContain('.gem')
    expect(output).not.toContain(canary)
    expect(output).toContain('end\n')
  } finally {
    rmSync(above, { recursive: true, force: true })
  }
})

/** Noticed a missing cover: a variable that names the project by another way showed its real files. */
it.runIf(state === 'on')('a command sees the project only in its view, wherever variables lead', async () => {
  const above = mkdtempSync(join(tmpdir(), 'coppice-ways-'))
  const shown = await openSandbox([], { home: join(above, 'home'), environment: {}, path: '/usr/bin' })
  await using world = await openCommandsWorld({ sandbox: shown })
  mkdirSync(join(world.root, 'deep/jdk'), { recursive: true })
  for (const name of ['deep/real', 'deep/jdk/real']) writeFileSync(join(world.root, name), 'canary-of-project')
  symlinkSync(dirname(world.above), join(above, 'way'))
  try {
    for (const place of ['', 'root', 'root/deep', 'root/deep/jdk']) {
      const named = join(above, 'way', basename(world.above), place)
      const options = { home: join(above, 'home'), environment: { JAVA_HOME: named }, path: '/usr/bin' }
      await using sandbox = await openSandbox([], options)
      const signal = new AbortController().signal
      const overlay = [{ kind: 'directory', path: '/deep' as VirtualPath, opaque: true }] as const
      await using mount = await world.mounts.open({ owner: 'led', overlay }, signal)
      const command = `grep -rs canary-of-project "${above}" "${world.root}"; echo end`
      const request = { command, timeoutMs: 20_000, mount, onOutput: () => undefined }
      const { output } = await createShell({ sandbox, rootFolder: world.root }).execute(request, signal)
      expect([place, output]).toEqual([place, 'end\n'])
    }
  } finally {
    rmSync(above, { recursive: true, force: true })
  }
})
