import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { never, shown } from '#core/ports/branch-mounts.contract.ts'
import type { BranchMount, MountStrategy } from '#core/ports/branch-mounts.ts'
import { openMountsWorld } from './mounts-world.testkit.ts'

await using probing = openMountsWorld()
const { kind } = await probing.mounts.findStrategy()
const copying = async (): Promise<MountStrategy> => ({ kind: 'copy', reason: 'asked for' })

/** A shell in the mount that stays. `say` runs a line in it and returns what it printed. */
function stay(mount: BranchMount) {
  const [program = '', ...parameters] = mount.enter([
    'bash',
    '--norc',
    '-c',
    `cd "$0" && exec bash --norc`,
    mount.folder,
  ])
  const shell = spawn(program, parameters, { stdio: ['pipe', 'pipe', 'inherit'] })
  return {
    async say(line: string): Promise<string> {
      shell.stdin.write(`${line}\necho "end of line"\n`)
      let text = ''
      for await (const [piece] of on(shell.stdout)) {
        text += piece
        if (text.endsWith('end of line\n')) break
      }
      return text.slice(0, -'end of line\n'.length)
    },
    async end() {
      shell.stdin.end('kill %1 2> /dev/null; exit\n')
      await once(shell, 'exit')
    },
  }
}

async function* on(stream: NodeJS.EventEmitter) {
  for (;;) yield once(stream, 'data')
}

describe.runIf(process.platform === 'linux').each([
  ['overlay', {}],
  ['copy', { probe: copying }],
] as const)('looking at a mount in which programs run (%s)', (name, options) => {
  it.skipIf(name !== 'copy' && kind !== name)('disturbs none of them, and finds a folder made again', async () => {
    await using world = openMountsWorld(options)
    await world.onDisk('mkdir both deep; echo one > a; touch both/old deep/x deep/y')
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    const shell = stay(mount)
    expect(await shell.say('exec 9>> open; echo two > a; rm -r both; mkdir both; echo n > both/n; cat a')).toBe('two\n')
    const first = await mount.look()
    expect(shown(first?.changes ?? [])).toEqual(['/a - two\n', '/both/n - n\n', '/both/old absent', '/open - '])
    // Copying up, deleting and moving need the work folder of the mount.
    expect(await shell.say('echo more >> deep/x; rm deep/y; mv both moved; echo w >&9; cat moved/n; ls deep')).toBe(
      'n\nx\n',
    )
    expect(shown((await mount.look())?.changes ?? [])).toEqual([
      ...['/a - two\n', '/both absent', '/deep/x - more\n', '/deep/y absent', '/moved/n - n\n', '/open - w\n'],
    ])
    await shell.end()
    const { changes } = await mount.capture()
    expect(changes.map(({ path }) => path)).toEqual(['/a', '/both', '/deep/x', '/deep/y', '/moved/n', '/open'])
  })

  /** Mutation: take a folder for merged by its path alone, without its inode. */
  it.skipIf(name !== 'copy' && kind !== name)('finds after many looks what the end finds', async () => {
    const steps = [
      ...['echo n > both/n', 'echo n > both/in/n', 'rm -r both; mkdir both', 'rm -r both/in; mkdir both/in'],
      ...['rm -rf both; mkdir both; echo m > both/old', 'mv both moved', 'mv -T moved both', 'rm -r both'],
      ...['mkdir -p both/in', 'rm both/old', 'mv both/in both/there', 'mv -T both/there both/in', 'chmod 755 both'],
    ]
    const story = fc.array(fc.constantFrom(...steps), { minLength: 3, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(story, async (scripts) => {
        await using world = openMountsWorld(options)
        await world.onDisk('mkdir -p both/in; touch both/old both/in/x')
        await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
        const shell = stay(mount)
        let seen: readonly string[] = []
        for (const script of scripts) {
          await shell.say(`{ ${script}; } 2> /dev/null; true`)
          seen = shown((await mount.look())?.changes ?? [])
        }
        await shell.end()
        expect(shown((await mount.capture()).changes)).toEqual(seen)
      }),
      { numRuns: name === 'copy' ? 2 : 10 },
    )
  })

  /** Mutation: read by whole paths, the secret is found within the first looks. */
  it.skipIf(name !== 'copy' && kind !== name)('never follows a link that takes the place of a folder', async () => {
    await using world = openMountsWorld(options)
    await world.onDisk('mkdir ../outside; echo canary > ../outside/secret; pwd')
    const outside = (await world.onDisk('cd ../outside; pwd')).trim()
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    const shell = stay(mount)
    await shell.say(
      `mkdir real; for n in {1..200}; do echo $n > real/$n; done; echo mine > real/secret; ln -s ${outside} link; cp -r real kept`,
    )
    await shell.say(
      '(while :; do mv -T real swap; mv -T link real; mv -T real link; mv -T swap real; done) > /dev/null 2>&1 &',
    )
    for (let looks = 0; looks < 60; looks += 1) {
      const found = JSON.stringify(shown((await mount.look())?.changes ?? []))
      expect(found).toContain('/kept/200')
      expect(found).not.toContain('canary')
    }
    await shell.end()
  })
})
