import { chown } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Talk } from '#core/ports/shell.ts'
import type { CommandUser } from '../../system/command-user.ts'
import { foreignUser } from '../../system/namespaces.ts'
import type { LocalSocket } from './local-relays.ts'

/** Where a program in the sandbox finds the socket. */
const place = '/run/coppice-talk.sock'

/** A program may open more of them, and a mistaken one would open them without end. */
const mostTalks = 20

let made = 0

/** A socket for one program, which may talk with the app there. Disposing it ends every talk. */
export async function openTalkSocket(
  folder: string,
  user: CommandUser,
  onTalk: (talk: Talk) => void,
): Promise<LocalSocket & Disposable> {
  made += 1
  const socket = join(folder, `talk-${made}`)
  const open = new Set<Socket>()
  const server = createServer((way) => {
    if (open.size >= mostTalks) {
      way.destroy()
      return
    }
    open.add(way)
    onTalk(talkOver(way, () => open.delete(way)))
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen(socket, listening.resolve)
  await listening.promise
  if (user.kind === 'other') await chown(socket, foreignUser, foreignUser)
  return {
    path: place,
    socket,
    [Symbol.dispose]() {
      for (const one of open) one.destroy()
      server.close()
    },
  }
}

function talkOver(way: Socket, onEnd: () => void): Talk {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  way.on('error', () => undefined)
  way.once('close', () => {
    onEnd()
    resolve()
  })
  return {
    listen: (onBytes) => void way.on('data', onBytes),
    write: (text) => void way.write(text),
    close: () => void way.end(),
    ended,
  }
}
