import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { MountView } from '#core/ports/branch-mounts.ts'
import { type LoopbackServer, listenOnLoopback } from '../loopback-server.ts'
import type { Sandbox } from '../sandbox.ts'
import { createShell } from '../shell.ts'
import { openSeatbelt } from './open-seatbelt.ts'

/** What the profile does, which only macOS can show. Its text is tested everywhere. */
describe.runIf(process.platform === 'darwin')('a hostile command on macOS', () => {
  const world = realpathSync.native(mkdtempSync(join(tmpdir(), 'coppice-hostile-')))
  const [home, project, view] = [join(world, 'person'), join(world, 'project'), join(world, 'view')]
  const secret = join(home, 'secret')
  let sandbox: Sandbox
  let server: LoopbackServer

  beforeAll(async () => {
    for (const folder of [home, project, join(view, 'files'), join(view, 'home'), join(view, 'tmp')])
      mkdirSync(folder, { recursive: true })
    writeFileSync(secret, 'canary')
    writeFileSync(join(project, 'a.txt'), 'canary')
    sandbox = await openSeatbelt([join(world, 'data')], { home, environment: {}, path: '/usr/bin:/bin' })
    server = await listenOnLoopback()
  })
  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  const mount: MountView = {
    ...{ folder: join(view, 'files'), home: join(view, 'home'), temporary: join(view, 'tmp') },
    ...{ places: [], leftOut: [], evicted: [], missing: null },
    enter: (program) => program,
  }
  const run = (command: string, hosts: readonly string[] = []) =>
    createShell({ sandbox, rootFolder: project }).execute(
      { command, timeoutMs: 60_000, mount, hosts, onOutput: () => undefined },
      never,
    )

  it('finds the sandbox on', () => expect(sandbox.state).toMatchObject({ state: 'on' }))

  it('works where it may: files, links of both kinds, folders, programs of its own', async () => {
    const script = `set -e; echo a > a; ln a b; ln -s a c; mkdir -p d/e; mv a d/e/f; printf '#!/bin/sh\\necho ran' > p
chmod +x p; ./p; cat b; echo x > "$TMPDIR/t"; echo x > "$HOME/h"; rm -r d; python3 -c 'print(1)' > /dev/null 2>&1 || :; echo done`
    expect(await run(script)).toMatchObject({ exitCode: 0, output: 'ran\na\ndone\n' })
  })

  it.each([
    ['reads a file of the home', 'cat "$secret"'],
    ['reads it under the other name of the disk', 'cat "/System/Volumes/Data$secret"'],
    ['reads it through a link', 'ln -s "$secret" link; cat link'],
    ['reads it through a hard link', 'ln "$secret" hard && cat hard'],
    ['reads it as a clone', 'cp -c "$secret" clone && cat clone'],
    ['reads the real project', 'cat "$project/a.txt"'],
    [
      'asks Finder for it',
      `osascript -e 'do shell script "cat $secret"' && osascript -e 'tell app "Finder" to get name'`,
    ],
    [
      'lets launchd run it',
      'launchctl submit -l coppice.test -- /bin/cp "$secret" "$PWD/stolen" && sleep 1 && cat stolen',
    ],
    ['opens an app with it', 'open -a TextEdit "$secret" && echo canary'],
    ['schedules it', 'echo "cat $secret > $PWD/later" | at now && echo canary'],
    ['asks another program to index it', 'mdfind -onlyin "$home" canary; mdls "$secret"'],
    ['reads the clipboard', 'pbpaste && echo canary'],
    ['lists the keychain', 'security dump-keychain && echo canary'],
    ['sees the arguments of the app', 'ps -axo pid,args | grep -v grep | grep -c node && echo canary'],
    ['ends the app', `kill -0 ${process.pid} && echo canary`],
    ['traces the app', `lldb -p ${process.pid} --batch 2> /dev/null && echo canary`],
    ['leaves its sandbox', `sandbox-exec -p '(version 1)(allow default)' cat "$secret"`],
    ['becomes another user', 'sudo -n true && echo canary; su root -c "cat $secret"'],
    ['reaches this machine', 'nc -z 127.0.0.1 "$port" && echo canary'],
    ['reaches the world', 'curl -m 5 -s https://example.com && echo canary'],
    ['asks a name server', 'dscacheutil -q host -a name example.com | grep ip_address && echo canary'],
  ])('%s: it gets nothing', async (_what, command) => {
    const words = `secret='${secret}' project='${project}' home='${home}' port=${server.port}`
    const { output } = await run(`${words}\n${command}`)
    expect(output).not.toContain('canary')
    expect(server.isReached()).toBe(false)
  })

  it.each([
    ['a file of the home', 'echo changed > "$secret"'],
    ['the real project', 'echo changed > "$project/a.txt"'],
    ['it through a link', 'ln -sf "$project/a.txt" out; echo changed > out'],
    ['the folder above its view', 'echo changed > ../../above; mv . ../moved'],
    [
      'the start-up of the person',
      'mkdir -p "$home/Library/LaunchAgents" && echo changed > "$home/Library/LaunchAgents/a"',
    ],
    [
      'the throw-away folder of all',
      'echo changed > /tmp/coppice-hostile; echo changed > /private/tmp/coppice-hostile',
    ],
    [
      'attributes of a file outside',
      'xattr -w user.a b "$secret"; chmod 777 "$secret"; touch -t 200001010000 "$secret"',
    ],
    ['its own rights', 'cp /bin/sh s && chmod u+s s && ls -l s | grep -q "^-rws" && echo changed > "$secret"'],
  ])('changes %s: nothing changes', async (_what, command) => {
    await run(`secret='${secret}' project='${project}' home='${home}'\n${command}`)
    expect([readFileSync(secret, 'utf8'), readFileSync(join(project, 'a.txt'), 'utf8')]).toEqual(['canary', 'canary'])
  })

  it('loses its view when a program that it left behind goes on and the view moves', async () => {
    const daemon = `perl -e 'use POSIX; exit if fork; setsid; exit if fork; sleep 3; open(F, ">", "$ARGV[0]/late"); print F 1' "$PWD"`
    await run(daemon)
    const moved = join(world, 'away')
    renameSync(view, moved)
    // Its only argument names the view, so nothing else is found.
    const goesOn = () => spawnSync('pgrep', ['-f', `perl .*${view}/files`]).status === 0
    expect(goesOn()).toBe(true)
    await expect.poll(goesOn).toBe(false)
    expect(existsSync(join(moved, 'files/late'))).toBe(false)
    renameSync(moved, view)
  })

  it('reaches this machine once a person granted localhost', async () => {
    const { output } = await run(`nc -z 127.0.0.1 ${server.port} && echo reached`, ['localhost'])
    expect(output).toContain('reached')
  })
})
