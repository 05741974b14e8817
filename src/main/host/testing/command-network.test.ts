import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'
import { isProgram } from '#adapters/system/system-programs.ts'
import { openDoor } from '../handover/door.ts'
import { type CommandsWorld, openCommandsWorld } from './commands-world.testkit.ts'

const { state } = await sandboxHere('the network of commands')

let world: CommandsWorld
const seen: string[] = []
const server = createServer((request, response) => {
  seen.push(request.url ?? '')
  response.statusCode = request.url?.includes('missing') ? 404 : 200
  response.end(request.url?.endsWith('config.json') ? '{"dl":"http://localhost/dl"}' : '{"name":"thing","versions":{}}')
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  world = await openCommandsWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  server.close()
})

/** Clients do not ask a proxy for names of the loopback, unless they are told to. Java compiles no more than it must. */
const asked =
  'export NO_PROXY= no_proxy= npm_config_noproxy= MAVEN_OPTS="$MAVEN_OPTS -Dhttp.nonProxyHosts= -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"'
const settings =
  '<settings><mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf><url>URL/mvn</url></mirror></mirrors></settings>'
/** A request of each client that this machine has, with its own variables. Each asks for something with its own name. */
const clients: Readonly<Record<string, string>> = {
  curl: 'curl -sS URL/curl',
  wget: 'wget -q -O - URL/wget',
  // Older ones ask no proxy.
  node: `node -e 'process.exit(parseInt(process.versions.node) < 24 ? 77 : 0)' || exit 77; node -e "fetch('URL/node')"`,
  npm: 'npm view npm-thing --registry URL --fetch-retries 0',
  python3: 'python3 -c "import urllib.request as u; u.urlopen(\'URL/python3\')"',
  pip: 'pip download pip-thing --index-url URL --retries 0 --no-input --disable-pip-version-check',
  cargo: 'cargo search cargo-thing --registry r',
  mvn: `mkdir -p m && echo '${settings}' > m/s.xml && mvn -B -q -s m/s.xml dependency:get -Dartifact=a:mvn-thing:1`,
}
const programs = Object.keys(clients).filter((name) =>
  process.env.PATH?.split(':').some((folder) => isProgram(`${folder}/${name}`)),
)

describe.skipIf(state !== 'on')('a command', () => {
  // Mutation: when the holder of a shared network takes the proxy's port, as it did, the second command finds a port more.
  it('without a granted host finds no trace of a proxy, also beside a process, and hosts that it missed are named', async () => {
    const traces = {
      variables: 'env | grep -iE "proxy|3128"',
      ports: `grep -h ' 0A ' /proc/net/tcp /proc/net/tcp6`,
      sockets: 'find /tmp /run /var/tmp -type s; cat /proc/net/unix | sed 1d',
      programs: "cat /proc/[0-9]*/comm | grep -E 'socat|proxy'",
      files: 'find / -xdev -iname "*coppice*prox*" 2> /dev/null',
    }
    const script = Object.values(traces).join('; ')
    const { output } = await world.run(script)
    expect(output).toBe('')
    const missed = await world.run('curl -sS -m 30 https://packages.example/')
    expect(missed.output).toBe('curl: (6) Could not resolve host: packages.example\n')
    expect(missed.refusedHosts).toEqual(['packages.example'])
    await using network = await world.shell.openNetwork('beside')
    if (network === null) return
    const { port } = server.address() as AddressInfo
    const granted = { hosts: [`localhost:${port}`], network: 'beside' }
    const reached = await world.run(`${asked}; curl -sS http://localhost:${port}/shared`, granted)
    expect([reached.exitCode, seen.at(-1)]).toEqual([0, '/shared'])
    const after = await world.run(script, { network: 'beside' })
    expect([after.output, network.ports()]).toEqual(['', []])
  })

  it.for(programs)(
    'reaches a granted host with %s, by the variables that it reads',
    { timeout: 90_000 },
    async (name, context) => {
      const { port } = server.address() as AddressInfo
      const url = `http://localhost:${port}`
      const line = `${name} --version > /dev/null 2>&1 || exit 77; export CARGO_REGISTRIES_R_INDEX=sparse+${url}/cargo/; ${asked}; ${clients[name]?.replaceAll('URL', url)}`
      seen.length = 0
      const { output, exitCode } = await world.run(line, { hosts: [`localhost:${port}`], timeoutMs: 60_000 })
      context.skip(exitCode === 77, `${name} does not start in a view here, or is too old`)
      expect(
        seen.some((path) => path.includes(name)),
        `${output}\n${seen}`,
      ).toBe(true)
    },
  )

  it('reaches no socket of the machine: neither the door to which command lines are handed over, nor any other', async () => {
    const door = { version: '1', holder: 'a window', carryOut: async () => 0 }
    const [dataFolder, longFolder] = [world.place('data'), world.place(`data/${'long'.repeat(30)}`)]
    await using near = await openDoor({ ...door, dataFolder })
    await using far = await openDoor({ ...door, dataFolder: longFolder })
    const places = [near.place, far.place, world.place('server.sock')]
    const ways = [
      ...places.map((place) => `--unix-socket '${place}'`),
      `--abstract-unix-socket 'coppice${world.above}'`,
    ]
    const line = ways.map((way) => `curl -s -m 5 ${way} http://x/; echo $?`).join('; ')
    // The same line outside the sandbox gets in everywhere.
    const { stdout } = await promisify(execFile)('bash', ['-c', line])
    expect(stdout).not.toMatch(/^7$/m)
    const [hits, alone] = [world.hits(), await world.run(line)]
    expect(alone.output).toBe('7\n7\n7\n7\n')
    await using network = await world.shell.openNetwork('with a process')
    const shared = network && (await world.run(line, { network: 'with a process' }))
    expect(shared?.output ?? alone.output).toBe('7\n7\n7\n7\n')
    expect(world.hits()).toBe(hits)
  })

  it('is for the one who asks: USER, LOGNAME and SHELL are set, and agree with the system', async () => {
    const { output } = await world.run(
      '[ "$USER" = "$(id -un)" ] && [ "$LOGNAME" = "$USER" ] && [ -x "$SHELL" ] && echo same',
    )
    expect(output).toBe('same\n')
  })

  it('commits where the person’s commits are signed, without a signature, and says so once', async () => {
    const findGitSettings = async () =>
      ({
        values: [
          ['user.name', 'Me'],
          ['user.email', 'me@example.com'],
        ],
        texts: {},
        signs: true,
      }) as const
    await using signing = await openCommandsWorld({ findGitSettings })
    const commit = 'git commit -q --allow-empty -m one && git tag -a v$RANDOM -m t && git log -1 --format=%G?'
    const first = await signing.run(
      `git init -q; git config commit.gpgsign true; git config tag.gpgSign true; ${commit}`,
    )
    expect(first).toMatchObject({ output: 'N\n', exitCode: 0, unsigned: true })
    const second = await signing.run(commit)
    expect([second.exitCode, second.unsigned]).toEqual([0, undefined])
  })
})
