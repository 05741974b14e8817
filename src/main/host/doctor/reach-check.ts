import { statSync } from 'node:fs'
import { connect } from 'node:net'
import type { Sandbox } from '#adapters/shell/sandbox.ts'
import type { LocalReach } from '#core/ports/shell.ts'
import { openedBySocket } from '#shared/base/reach/local-reach.ts'
import type { Examination } from '#shared/contract/views/app.ts'
import { type GrantedReach, reachFor } from '../settings/granted-reach.ts'

/** What commands reach of this machine by the person's settings, each folder with what that opens. Nothing for no grant. */
export async function* examineReach(reach: GrantedReach, { state }: Sandbox): AsyncGenerator<Examination, void> {
  const folders = [...new Set([...Object.keys(reach.portsByFolder), ...Object.keys(reach.socketsByFolder)])]
  for (const folder of folders) {
    const { isWhole, texts } = await describe(reachFor(reach, folder))
    if (texts.length === 0) continue
    const lack = process.platform === 'win32' ? ' Commands in WSL reach none of this.' : ''
    const off = state.state === 'off' && lack === '' ? ' Without the sandbox commands reach everything.' : ''
    const detail = `in ${folder} every command reaches ${texts.join('; ')}.${lack}${off}`
    yield { name: 'This machine', state: isWhole && lack === '' ? 'ok' : 'optional', detail }
  }
}

/** `isWhole`: all of it is there. */
async function describe({ localPorts, sockets }: LocalReach) {
  const ports = await Promise.all(
    localPorts.map(async (port) => {
      const isThere = await answers(port)
      const text = `localhost:${port} (${isThere ? 'a server of this machine' : 'nothing listens there now'})`
      return { isThere, text }
    }),
  )
  const paths = sockets.map((path) => {
    const isThere = statSync(path, { throwIfNoEntry: false })?.isSocket() ?? false
    const lack = isThere ? '' : 'It is not there now. '
    return { isThere, text: `${path} (${lack}${openedBySocket(path)})` }
  })
  const all = [...ports, ...paths]
  return { isWhole: all.every(({ isThere }) => isThere), texts: all.map(({ text }) => text) }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost' })
    const end = (isThere: boolean) => () => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', end(true)).once('error', end(false)).setTimeout(2_000, end(false))
  })
}
