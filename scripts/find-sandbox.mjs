// What the sandbox for commands is made of, for the tests that need it: here, or installed here. Says what it did.
import { spawnSync } from 'node:child_process'

const programs = { bwrap: 'bubblewrap', socat: 'socat' }

function missing() {
  return Object.entries(programs).filter(([program]) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error)
}

function attempt(command, args) {
  process.stdout.write(`Sandbox: trying ${command} ${args.join(' ')}\n`)
  return spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status === 0
}

/** On Linux; elsewhere there is nothing to install. What cannot be had is named: the tests that need it are skipped. */
export function prepareSandbox() {
  if (process.platform !== 'linux') return
  const packages = missing().map(([, name]) => name)
  if (packages.length > 0 && process.getuid?.() === 0)
    attempt('apt-get', ['update']) && attempt('apt-get', ['install', '-y', '--no-install-recommends', ...packages])
  const left = missing().map(([, name]) => name)
  if (left.length > 0)
    process.stdout.write(
      `Sandbox: SKIPPED, tests of hostile commands: install them with sudo apt-get install ${left.join(' ')}\n`,
    )
}
