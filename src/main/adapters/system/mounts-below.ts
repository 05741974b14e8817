import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { platform } from 'node:process'
import { textIfReadable } from './read-bounded.ts'
import { isProgram, systemProgram } from './system-programs.ts'

/** Where file systems are mounted inside a folder or at it, the deepest first. Empty where the system does not say it. */
export function mountsBelow(folder: string): readonly string[] {
  const place = realOf(folder)
  const places = platform === 'linux' ? placesOfLinux() : platform === 'darwin' ? placesOfMac() : []
  const below = places.filter((one) => one === place || one.startsWith(place === '/' ? place : `${place}/`))
  return below.sort((one, other) => other.length - one.length)
}

/**
 * Takes away what a program mounted inside a folder, as far as the system lets this user: the files in it belong to somebody
 * else. Returns what is still mounted there.
 */
export function unmountBelow(folder: string): readonly string[] {
  const found = mountsBelow(folder)
  if (found.length === 0) return found
  const ways = [
    ['fusermount3', '-u', '-z'],
    ['fusermount', '-u', '-z'],
    platform === 'linux' ? ['umount', '-l'] : ['umount'],
  ]
  for (const place of found)
    for (const [name = '', ...words] of ways) {
      const program = systemProgram(name)
      if (isProgram(program)) spawnSync(program, [...words, '--', place], { stdio: 'ignore', timeout: timeoutMs })
    }
  return mountsBelow(folder)
}

const timeoutMs = 5_000

function placesOfLinux(): readonly string[] {
  return (textIfReadable('/proc/self/mountinfo') ?? '')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map((place) => place.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))))
}

function placesOfMac(): readonly string[] {
  return placesIn(spawnSync(systemProgram('mount'), { encoding: 'utf8', timeout: timeoutMs }).stdout ?? '')
}

/** From the lines of macOS: `/dev/disk4s1 on /Volumes/A (apfs, local)`. */
export function placesIn(lines: string): readonly string[] {
  return lines.split('\n').flatMap((line) => / on (\/.*) \([^()]*\)$/.exec(line)?.[1] ?? [])
}

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}
