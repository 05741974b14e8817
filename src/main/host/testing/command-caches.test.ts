import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { credentialsInHome } from '#adapters/shell/credential-places.ts'
import { packageCaches } from '#adapters/shell/home-caches.ts'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CommandsWorld, openCommandsWorld, type WorldOptions } from './commands-world.testkit.ts'

const { state } = await sandboxHere('package caches')

const home = {
  '.npm/_cacache/index/a': 'package a',
  '.npm/_cacache/index/b': 'package b',
  'go/pkg/mod/m@v1/go.mod': 'module m',
}
const environment = { PATH: process.env.PATH }
let world: CommandsWorld
async function open(options: WorldOptions = {}): Promise<CommandsWorld> {
  world = await openCommandsWorld({ home, environment, ...options })
  return world
}
afterEach(() => world?.[Symbol.asyncDispose]())

const states: readonly (readonly [string, WorldOptions])[] = [
  ...(state === 'on' ? ([['the sandbox', {}]] as const) : []),
  ['no sandbox', { isUnconfined: true }],
]

describe.each(states)('package caches of the home, in a view with %s', (_name, options) => {
  it('are there; what a command adds, changes or removes stays for the next one, and the person’s stay as they are', async () => {
    const { run, place, fingerprint } = await open(options)
    const before = fingerprint(place('home'))
    const list = 'cd ~ && find .npm go -type f | sort | while read -r f; do echo "$f: $(cat "$f")"; done'
    expect((await run(list)).output).toBe(
      '.npm/_cacache/index/a: package a\n.npm/_cacache/index/b: package b\ngo/pkg/mod/m@v1/go.mod: module m\n',
    )
    const script =
      'cd ~/.npm/_cacache && mkdir -p new && echo c > new/c && echo changed > index/a && rm index/b && echo p > ~/plain'
    const { changes, output } = await run(script)
    expect([output, changes]).toEqual(['', []])
    const after = '.npm/_cacache/index/a: changed\n.npm/_cacache/new/c: c\ngo/pkg/mod/m@v1/go.mod: module m\n'
    expect((await run(`${list}; cat plain`)).output).toBe(`${after}p\n`)
    await run('echo later > ~/.npm/_cacache/new/c; rm -r ~/go/pkg/mod/m@v1')
    expect((await run(list)).output).toBe('.npm/_cacache/index/a: changed\n.npm/_cacache/new/c: later\n')
    expect((await run(list, { owner: 'another' })).output).toContain('index/b: package b')
    expect(fingerprint(place('home'))).toBe(before)
  })

  it('make no layer for a command that only reads them', async () => {
    const { run } = await open(options)
    expect((await run('cat ~/.npm/_cacache/index/a')).environment).toEqual([])
    expect((await run('touch ~/.npm/_cacache/index/new')).environment).toHaveLength(1)
    expect((await run('cat ~/.npm/_cacache/index/new')).environment).toHaveLength(1)
  })

  /** Noticed a missing look at the kinds in layers: the cache was mounted over the project's folder. */
  it('are left out where a command made a link of their path, which nobody follows', async () => {
    const cache = { '.gradle/caches/jar': 'a jar', '.npm/_cacache/index': 'a package' }
    const { run, place } = await open({ ...options, home: {} })
    await run(
      'mkdir -p src/_cacache ~/.gradle; touch src/_cacache/own; ln -s $PWD/src ~/.gradle/caches; ln -s $PWD/src ~/.npm',
    )
    for (const path of Object.keys(cache)) mkdirSync(dirname(place(`home/${path}`)), { recursive: true })
    for (const [path, text] of Object.entries(cache)) writeFileSync(place(`home/${path}`), text)
    const overlay = [{ kind: 'directory', path: '/src/_cacache' as VirtualPath, opaque: true }] as const
    const { output } = await run('find src -type f; ls ~/.npm/ ~/.gradle/caches/; find ~ -type f', { overlay })
    expect(output).not.toMatch(/jar|index/)
    expect(output).toContain('src/a.txt')
  })

  it('go on when a command renames what is above one, or removes all of its home', async () => {
    const { run } = await open(options)
    await run('mv ~/.npm ~/x; rm -rf ~/go; ln -sfn /usr ~/go; rm -rf ~')
    expect((await run('echo end')).output).toBe('end\n')
  })
})

it('are not there in a view that is a copy', async () => {
  const { run } = await open({
    isUnconfined: true,
    mounts: { probe: async () => ({ kind: 'copy', reason: 'asked for' }) },
  })
  expect((await run('ls -A ~')).output).toBe('')
})

/** Noticed caches that may be a whole folder of a tool, and caches in which a credential is. */
it.runIf(state === 'on')('hold no known credential, wherever variables move them', async () => {
  const canary = 'canary-of-home'
  const inside = (name: string) => packageCaches.some(({ path }) => name.startsWith(`${path}/`))
  expect(credentialsInHome.filter(inside)).toEqual([])
  const asFile = new Set(['.npmrc', '.cargo/credentials.toml', '.bash_history', '.gradle/gradle.properties', '.netrc'])
  const files = credentialsInHome.map((name) => [asFile.has(name) ? name : `${name}/inside`, canary] as const)
  const packages = packageCaches.map(({ path }) => [`${path}/package`, 'a package'] as const)
  const { run, place } = await open({ home: Object.fromEntries([...files, ...packages]) })
  const search = `grep -rs ${canary} ~ ${place('home')}; cd ~ && find . -name package | wc -l`
  expect((await run(search)).output).toBe(`${packages.length}\n`)
  await world[Symbol.asyncDispose]()
  const variables = [...new Set(packageCaches.flatMap(({ moved }) => moved.map(([variable]) => variable)))]
  for (const target of ['.ssh', '.config', '.cargo', '.m2', '', '..']) {
    const moved: Record<string, string> = { PATH: process.env.PATH ?? '' }
    const wrong = await open({ home: Object.fromEntries(files), environment: moved })
    const to = wrong.place(`home/${target}`)
    for (const variable of variables) moved[variable] = to
    for (const name of ['registry', 'store', 'cache', '_cacache', 'caches', 'wrapper', 'pip'])
      if (!existsSync(`${to}/${name}`)) symlinkSync(wrong.place('home/.ssh/deep'), `${to}/${name}`)
    mkdirSync(wrong.place('home/.ssh/deep'))
    writeFileSync(wrong.place('home/.ssh/deep/key'), canary)
    expect([target, (await wrong.run(`grep -rs ${canary} ~ ; echo end`)).output]).toEqual([target, 'end\n'])
    await wrong[Symbol.asyncDispose]()
  }
})

/** Noticed a missing look at the project, and one at what another project keeps. */
it.runIf(state === 'on')('show nothing of a project, wherever variables and links lead', async () => {
  const canary = 'canary-of-project'
  const variables = [...new Set(packageCaches.flatMap(({ moved }) => moved.map(([variable]) => variable)))]
  for (const target of ['root', 'root/deep', '', 'home/other', 'home/other/deep', 'outside', 'link']) {
    const moved: Record<string, string> = { PATH: process.env.PATH ?? '' }
    const wrong = await open({ home: { 'other/.env': canary }, environment: moved })
    for (const folder of ['root/deep', 'home/other/.git', 'home/other/deep', 'outside'])
      mkdirSync(wrong.place(folder), { recursive: true })
    for (const name of ['root/.env', 'root/deep/.env', 'home/other/deep/config', 'outside/plain'])
      writeFileSync(wrong.place(name), canary)
    symlinkSync(wrong.root, wrong.place('link'))
    for (const variable of variables) moved[variable] = wrong.place(target)
    expect([target, (await wrong.run(`grep -rs ${canary} ~; echo end`)).output]).toEqual([target, 'end\n'])
    await wrong[Symbol.asyncDispose]()
  }
})

it.runIf(state === 'on')('are there where a variable moves them inside the home', async () => {
  const moved: Record<string, string> = { PATH: process.env.PATH ?? '' }
  const { run, place } = await open({ home: { 'disk/uv/archive': 'a package' }, environment: moved })
  moved.UV_CACHE_DIR = place('home/disk/uv')
  expect((await run('cat ~/.cache/uv/archive')).output).toBe('a package')
})

it('are left out alone where the system cannot mount them, and the view is whole', async () => {
  const { run, root, place, mounts } = await open({
    isUnconfined: true,
    mounts: {
      findCaches: () => [
        { path: '.cache/pip', from: '/proc/sys' },
        { path: '.npm/_cacache', from: place('home/.npm/_cacache') },
      ],
    },
  })
  if ((await mounts.findStrategy()).kind !== 'overlay') return
  const { output } = await run(
    `cat ~/.npm/_cacache/index/a; echo; ls ~/.cache/pip; echo changed > ${root}/src/a.txt; pwd`,
  )
  expect(output).toMatch(/^package a\n\/\S+\/files\n$/)
  expect(readFileSync(`${root}/src/a.txt`, 'utf8')).toBe('one\n')
})
