import { lstatSync, realpathSync } from 'node:fs'
import type { LocalReach } from '#core/ports/shell.ts'
import { portsOfOthers } from '../processes/listening-ports.ts'

/** The most places that one command is said to have missed. */
const most = 5

/** A line that says so, by the words of clients: of Node, curl, libpq, Go, Redis, MySQL, Python, Docker. */
const failed =
  /refused|ECONNREFUSED|ENOENT|EACCES|No such file|Permission denied|(?:Could not|Cannot|Can't|Failed to) connect/i

const loopback =
  /(?:localhost|127\.0\.0\.1|\[?::1\]?)["')\]]*(?:\s*\([\w.:]+\))?(?:,?\s+port[\s=]*|',\s*port=|:)["']?(\d{1,5})\b/i

/** What may be a path, and where one of a socket ends. In two steps, so that the longest line is read through once. */
const paths = /\/[\w./@+-]*/g
const socketEnds = /\.sock(?:et)?\b|\/\.s\.PGSQL\.\d+|\/agent\.\d+/g

/** The first path of a line that is named like one of a socket. */
function socketIn(line: string): string | undefined {
  for (const [path] of line.matchAll(paths)) {
    const end = [...path.matchAll(socketEnds)].at(-1)
    if (end && end.index > 0) return path.slice(0, end.index + end[0].length)
  }
  return undefined
}

/**
 * Ports and sockets of this machine that a command that failed asked for by its own words, as `localhost:5432` and
 * `/run/docker.sock`. Only what is there and not reached already, and nothing of the app itself: its words may be anything.
 */
export async function missedReach(output: string, reached: LocalReach): Promise<readonly string[]> {
  const asked = output.split('\n').filter((line) => failed.test(line))
  const ports = unique(asked.flatMap((line) => Number(loopback.exec(line)?.[1] ?? [])))
  const named = unique(asked.flatMap((line) => socketIn(line) ?? [])).slice(0, mostLooked)
  const there = ports.length === 0 ? [] : await portsOfOthers()
  return [
    ...ports
      .filter((port) => there.includes(port) && !reached.localPorts.includes(port))
      .map((port) => `localhost:${port}`),
    ...unique(named.flatMap((path) => socketAt(path) ?? [])).filter((path) => !reached.sockets.includes(path)),
  ].slice(0, most)
}

const mostLooked = 50

function unique<Value>(all: readonly Value[]): readonly Value[] {
  return [...new Set(all)]
}

/** The real path of a socket. Undefined for anything else. */
function socketAt(path: string): string | undefined {
  try {
    const real = realpathSync(path)
    return lstatSync(real).isSocket() ? real : undefined
  } catch {
    return undefined
  }
}
