// Finds or installs the programs of the sandbox for commands, for the tests that need them. Says what it did.
import { spawnSync } from 'node:child_process'

const programs = { bwrap: 'bubblewrap', socat: 'socat' }

function missing() {
  return Object.entries(programs).filter(([program]) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error)
}

function attempt(command, args) {
  process.stdout.write(`Sandbox: trying ${command} ${args.join(' ')}\n`)
  return spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status === 0
}

/**
 * Works on Linux; other systems have nothing to install. Names the programs that cannot be installed, because the
 * tests that need them are skipped.
 */
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
