import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'

const commented = '{\n  // mine\n  "model": "m"\n}\n'
let host: Host
let project: Project
let folder: string
const file = () => join(folder, 'data/settings.json')
const written = () => readFileSync(file(), 'utf8')
const router = () => host.router

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-settings-'))
  host = await openTestHost(join(folder, 'data'))
  project = await host.projects.openScratch()
  writeFileSync(file(), commented)
})
afterEach(async () => {
  await host[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

it('says when commands are approved, and leaves it to the mode again', async () => {
  const set = (commandApproval: 'before' | null) => call(router().settings.update, { commandApproval })
  expect(await set('before')).toMatchObject({ commandApproval: 'before' })
  expect(JSON.parse(written().replace('// mine', ''))).toEqual({ model: 'm', approvals: { commands: 'before' } })
  expect(await set(null)).toMatchObject({ commandApproval: null, problems: [] })
  expect(written()).toContain('// mine')
})

describe('what agents do outside of projects', () => {
  const set = async (outward: object) => (await call(router().settings.update, { outward })).outward
  const inFile = () => JSON.parse(written().replace('// mine', ''))

  it('is saved part by part, and taken back', async () => {
    expect(await set({ fetchesPages: true })).toMatchObject({ fetchesPages: true, privateHosts: [], notify: null })
    await set({ privateHosts: ['wiki.corp.example', 'localhost:8080'], keepAwake: true })
    const notify = { kind: 'command', command: ['my-notifier', 'two words'] }
    expect(await set({ notify })).toMatchObject({ fetchesPages: true, keepAwake: true, notify })
    expect(inFile()).toEqual({
      model: 'm',
      web: { fetch: true, private_hosts: ['wiki.corp.example', 'localhost:8080'] },
      keep_awake: true,
      notify: { command: ['my-notifier', 'two words'] },
    })
    expect(await set({ notify: { kind: 'url', url: 'https://push.example/me' } })).toMatchObject({
      notify: { url: 'https://push.example/me' },
    })
    await set({ notify: null, privateHosts: [], keepAwake: false, fetchesPages: false })
    expect(inFile()).toEqual({ model: 'm', web: { fetch: false }, keep_awake: false })
    expect(written()).toContain('// mine')
  })

  it.each([
    { privateHosts: ['https://wiki.example'] },
    { notify: { kind: 'url', url: 'file:///etc/passwd' } },
    { notify: { kind: 'command', command: [] } },
  ])('is refused where it is wrong: %j', async (wrong) => {
    await expect(set(wrong)).rejects.toThrow()
    expect(written()).toBe(commented)
  })

  it('sends a test to a program and says why one does not get through', async () => {
    const told = join(folder, 'told')
    const program = `require('fs').writeFileSync(${JSON.stringify(told)}, require('fs').readFileSync(0))`
    const command = [process.execPath, '-e', program]
    expect(await call(router().settings.testNotify, { kind: 'command', command })).toMatchObject({ ok: true })
    expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({ event: 'test' })
    const missing = await call(router().settings.testNotify, { kind: 'command', command: [join(folder, 'none')] })
    expect(missing).toMatchObject({ ok: false, message: expect.stringContaining('could not be started') })
    expect(written(), 'a test saves nothing').toBe(commented)
  })
})

describe('hosts for all commands of a project', () => {
  const grant = (hosts: string[], projectId = project.info().id) =>
    call(router().settings.update, { grantHosts: { projectId, hosts } })
  const inFile = () => JSON.parse(written().replace('// mine', '')).sandbox

  it('are added to those of its folder, once each, and take effect at once', async () => {
    const opened = await host.projects.open(realpathSync(mkdtempSync(join(folder, 'project-'))))
    const place = opened.rootFolder ?? ''
    writeFileSync(file(), commented.replace('"m"', '"m", "sandbox": "off"'))
    await grant(['a.example', '*.b.example:443'], opened.info().id)
    await grant(['a.example', 'c.example'], opened.info().id)
    expect(inFile()).toEqual({ mode: 'off', hosts: { [place]: ['a.example', '*.b.example:443', 'c.example'] } })
    expect(written()).toContain('// mine')
    expect(host.settings.read()).toMatchObject({ sandbox: 'off', problems: [], hosts: { byFolder: inFile().hosts } })
  })

  it.each(['https://a.example', '*', '*.com', 'a.example:0'])('are refused with the wrong name %s', async (wrong) => {
    const opened = await host.projects.open(mkdtempSync(join(folder, 'project-')))
    await expect(grant(['a.example', wrong], opened.info().id)).rejects.toThrow()
    expect(written()).toBe(commented)
  })

  it('are refused for a workspace without a folder', async () => {
    await expect(grant(['a.example'])).rejects.toThrow('keeps no hosts')
    expect(written()).toBe(commented)
  })
})

describe('editing the settings file by hand', () => {
  it('saves the exact text, and takes effect at once', async () => {
    const text = commented.replace('"m"', '"n"')
    await call(router().settings.replace, { text, from: commented })
    expect(written()).toBe(text)
    expect((await call(router().settings.get, undefined)).model).toBe('n')
  })

  it.each([
    ['{ "model": "n"', /Line 1: not JSON: close brace expected/],
    ['{\n  "max_iterations": 0\n}', /Line 2: max_iterations/],
    ['[]', /one JSON object/],
  ])('does not save while anything is wrong: %s', async (text, why) => {
    await expect(call(router().settings.replace, { text, from: commented })).rejects.toThrow(why)
    expect(written()).toBe(commented)
    expect((await call(router().settings.check, { text })).some(({ wrong }) => wrong)).toBe(true)
  })

  it('accepts keys that this version does not know', async () => {
    const text = '{ "colour": 1 }'
    expect(await call(router().settings.check, { text })).toEqual([
      { line: 1, about: 'colour', message: expect.stringContaining('unknown setting "colour"'), wrong: false },
    ])
    await call(router().settings.replace, { text, from: commented })
    expect(written()).toBe(text)
  })

  it('does not overwrite a text that somebody else wrote meanwhile', async () => {
    const theirs = '{ "model": "theirs" }'
    writeFileSync(file(), theirs)
    await expect(call(router().settings.replace, { text: '{}', from: commented })).rejects.toThrow('changed elsewhere')
    expect(written()).toBe(theirs)
  })

  it('applies changes of another program from then on', async () => {
    expect((await call(router().settings.get, undefined)).model).toBe('m')
    writeFileSync(file(), '{ "model": "another" }')
    expect((await call(router().settings.get, undefined)).model).toBe('another')
  })
})

it('a limit in dollars is set for one scope, removed by null, and leaves the other limits of the file', async () => {
  writeFileSync(file(), '{\n  // mine\n  "budgets": { "run": { "minutes": 30 } }\n}\n')
  expect((await call(router().settings.get, undefined)).budgets).toEqual({
    run: 5,
    thread: null,
    batch: null,
    subagent: null,
  })
  const set = await call(router().settings.update, { budgets: { thread: 20, run: null } })
  expect(set.budgets).toMatchObject({ run: null, thread: 20 })
  expect(written()).toContain('// mine')
  expect(JSON.parse(written().replace('// mine', '')).budgets).toEqual({
    run: { minutes: 30, cost: null },
    thread: { cost: 20 },
  })
  const back = await call(router().settings.update, { budgets: { thread: 'default', run: 'default' } })
  expect([back.budgets, back.usualBudgets]).toEqual(
    Array(2).fill({ run: 5, thread: null, batch: null, subagent: null }),
  )
  await expect(call(router().settings.update, { budgets: { run: 0 } })).rejects.toThrow()
})

describe('definitions of the user', () => {
  const list = () => call(router().extensions.list, { projectId: project.info().id })

  it('an agent is added once, and the comments stay', async () => {
    const agent = { name: 'tester', description: 'Runs tests', prompt: 'Test it.' }
    await call(router().extensions.addAgent, agent)
    expect(written()).toContain('// mine')
    expect((await list()).agents).toMatchObject([{ name: 'tester', source: file(), tokens: 4 }])
    await expect(call(router().extensions.addAgent, agent)).rejects.toThrow('already')
    await expect(call(router().extensions.addAgent, { ...agent, name: 'main' })).rejects.toThrow('built in')
  })

  it('a skill is written to its own folder, and an existing one is never overwritten', async () => {
    const skill = { name: 'notes', description: 'Says: "how"\nto write', body: '# Notes' }
    const added = await call(router().extensions.addSkill, skill)
    expect(added.file).toBe(join(folder, 'data/skills/notes/SKILL.md'))
    expect((await list()).skills).toMatchObject([{ name: 'notes', description: 'Says: "how" to write' }])
    await expect(call(router().extensions.addSkill, skill)).rejects.toThrow('already')
    await expect(call(router().extensions.addSkill, { ...skill, name: '../escape' })).rejects.toThrow()
  })

  it('a server is added, changed and removed, and none starts before it is trusted', async () => {
    const transport: { kind: 'stdio'; command: string; args: string[]; env: Record<string, string> } = {
      kind: 'stdio',
      command: 'node',
      args: ['server.mjs'],
      env: {},
    }
    await call(router().mcp.put, { name: 'tools', transport })
    expect(JSON.parse(written().replace('// mine', ''))).toMatchObject({
      mcp_servers: { tools: { command: 'node', args: ['server.mjs'] } },
    })
    const servers = async () => (await call(router().mcp.list, { projectId: project.info().id })).servers
    expect(await servers()).toMatchObject([{ name: 'tools', transport, trusted: false, state: { kind: 'untrusted' } }])
    const http = { kind: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'x' } } as const
    await call(router().mcp.put, { name: 'tools', transport: http })
    expect(await servers()).toMatchObject([{ name: 'tools', transport: http }])
    await call(router().mcp.remove, { name: 'tools' })
    expect(await servers()).toEqual([])
    await expect(call(router().mcp.remove, { name: 'tools' })).rejects.toThrow('no server')
  })
})
