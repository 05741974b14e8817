import { mkdtempSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Talk } from '#core/ports/shell.ts'
import { openTalkSocket } from './talk-socket.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-talk-'))
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))

describe.skipIf(process.platform === 'win32')('a socket for talks', () => {
  // Mutation: leave out the limit.
  it('has twenty talks at once, and another one when one has ended', async () => {
    const held: Talk[] = []
    const arrived = [Promise.withResolvers<void>()]
    using way = await openTalkSocket(folder(), { kind: 'unknown' }, (talk) => {
      held.push(talk)
      arrived.at(-1)?.resolve()
    })
    const open = async () => {
      arrived.push(Promise.withResolvers())
      const socket = connect(way.socket)
      socket.on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      socket.resume()
      return Promise.race([arrived.at(-1)?.promise.then(() => socket), closed(socket).then(() => null)])
    }
    const sockets = []
    for (let one = 0; one < 20; one += 1) sockets.push(await open())
    expect(sockets).not.toContain(null)
    expect(await open()).toBeNull()
    held[0]?.close()
    await held[0]?.ended
    expect(await open()).not.toBeNull()
  })

  it('ends all of them when it is disposed', async () => {
    const begun = Promise.withResolvers<Talk>()
    const way = await openTalkSocket(folder(), { kind: 'unknown' }, begun.resolve)
    const socket = connect(way.socket)
    socket.resume()
    const talk = await begun.promise
    way[Symbol.dispose]()
    await Promise.all([talk.ended, closed(socket)])
  })
})
