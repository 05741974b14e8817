import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { call } from '@orpc/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'

let base: string
let host: Host
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-proposed-')))
  host = await openTestHost(join(base, 'data'))
})
afterEach(async () => {
  await host[Symbol.asyncDispose]()
  rmSync(base, { recursive: true, force: true })
})

describe('files that a project names for working copies', () => {
  // Mutation: show them before the folder is trusted, or take any path that is asked for.
  it('are shown to the person of a trusted folder, and agents may read those that were shown', async () => {
    const folder = join(base, 'app')
    mkdirSync(folder)
    for (const name of ['.env', '.env.local', 'other.pem'])
      writeFileSync(join(folder, name), 'TOKEN=ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2\n')
    writeFileSync(join(folder, '.worktreeinclude'), '.env*\n')
    const projectId = (await host.projects.open(folder)).info().id
    expect((await call(host.router.setup.view, { projectId })).includedFiles).toEqual([])
    host.projects.setTrusted(projectId, true)
    expect((await call(host.router.setup.view, { projectId })).includedFiles).toEqual(['/.env', '/.env.local'])
    const paths = ['/.env', '/other.pem'] as unknown as readonly VirtualPath[]
    const left = await call(host.router.setup.showFiles, { projectId, paths: [...paths] })
    expect(left.includedFiles).toEqual(['/.env.local'])
    const { text } = await call(host.router.settings.text, undefined)
    expect(JSON.parse(text).permissions.allow).toEqual(['Read(/.env)'])
  })
})

describe.skipIf(process.platform === 'win32')('a socket that a project proposes', () => {
  // Mutation: propose the name as the project writes it.
  it('is shown as the one that it leads to, and granted as that', async () => {
    const [folder, socket] = [join(base, 'app'), join(base, 'docker.sock')]
    const [link, gone] = [join(folder, 'run/db.sock'), join(base, 'gone.sock')]
    mkdirSync(dirname(link), { recursive: true })
    mkdirSync(join(folder, '.coppice'))
    symlinkSync(socket, link)
    const proposed = JSON.stringify({ sandbox: { proposed_hosts: [link, gone, 'a.example', 'localhost:5432'] } })
    writeFileSync(join(folder, '.coppice/settings.json'), proposed)
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(socket, resolve))
    try {
      const projectId = (await host.projects.open(folder)).info().id
      host.projects.setTrusted(projectId, true)
      const shown = await call(host.router.setup.view, { projectId })
      expect(shown.commandHosts).toEqual([socket, gone, 'a.example', 'localhost:5432'])
      const allowed = await call(host.router.setup.allowHosts, { projectId, hosts: [link, socket] })
      expect(allowed.commandHosts).toEqual([gone, 'a.example', 'localhost:5432'])
      const { text } = await call(host.router.settings.text, undefined)
      expect(JSON.parse(text).sandbox.sockets).toEqual({ [folder]: [socket] })
    } finally {
      server.close()
    }
  })
})
