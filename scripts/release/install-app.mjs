// Installs the package that was made for this system, as a person does, and returns the installed program.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Throws with what to do when the package is missing or cannot be installed. `folder` holds the packages. */
export function installApp(folder) {
  const install = { linux: installDeb, darwin: installImage, win32: installSilently }[process.platform]
  return install(folder)
}

function installDeb(folder) {
  call('sudo', ['apt-get', 'install', '-y', '--reinstall', findPackage(folder, /\.deb$/)])
  expectSandbox(call('/usr/bin/coppice', ['doctor'], [0, 1]))
  return '/opt/Coppice/coppice-desktop'
}

function installImage(folder) {
  const place = mkdtempSync(join(tmpdir(), 'coppice-installed-'))
  const volume = join(place, 'volume')
  call('hdiutil', ['attach', findPackage(folder, /\.dmg$/), '-nobrowse', '-readonly', '-mountpoint', volume])
  call('ditto', [join(volume, 'Coppice.app'), join(place, 'Coppice.app')])
  call('hdiutil', ['detach', volume])
  call('codesign', ['--verify', '--deep', '--strict', join(place, 'Coppice.app')])
  const unpacked = join(place, 'zip')
  call('ditto', ['-x', '-k', findPackage(folder, /\.zip$/), unpacked])
  call('codesign', ['--verify', '--deep', '--strict', join(unpacked, 'Coppice.app')])
  return join(place, 'Coppice.app/Contents/MacOS/Coppice')
}

function installSilently(folder) {
  const place = join(mkdtempSync(join(tmpdir(), 'coppice-installed-')), 'Coppice')
  // The installer reads its folder from the end of its command line, without quotes.
  call(findPackage(folder, /\.exe$/), ['/S', `/D=${place}`], [0], { windowsVerbatimArguments: true })
  const program = join(place, 'Coppice.exe')
  if (!existsSync(program)) throw new Error(`The installer ended well, and there is no ${program}.`)
  return program
}

/** Throws unless this output of `coppice doctor` says that commands run in the sandbox. */
export function expectSandbox(doctor) {
  const line = doctor.split('\n').find((one) => /\bSandbox\b/.test(one))
  if (!line || !/\bon: /.test(line))
    throw new Error(`The installed app has no sandbox. Its doctor says: ${line?.trim() ?? 'nothing of a sandbox'}`)
}

/** The package of this version and processor in `folder`. Throws unless there is exactly one. */
export function findPackage(folder, kind) {
  const names = existsSync(folder) ? readdirSync(folder) : []
  const found = names.filter((name) => name.startsWith('Coppice-') && kind.test(name))
  if (found.length === 1) return join(folder, found[0])
  throw new Error(
    `${folder} has ${found.length} packages like ${kind}. Run "npm run package -- --strict" in a fresh dist.`,
  )
}

function call(program, args, ok = [0], options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 600_000, ...options })
  if (error) throw error
  if (!ok.includes(status)) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`)
  return stdout
}
