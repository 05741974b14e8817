import type { CommandNetwork } from '#core/ports/shell.ts'
import { ShellError } from '#core/ports/shell.ts'
import type { HeldNetwork } from './branch-network.ts'

/** A command's part of a network. The network lasts as long as somebody has a part of it. */
export interface NetworkPart extends AsyncDisposable, Pick<HeldNetwork, 'enter' | 'leadTo'> {}

/** The open networks of a shell, by name. */
export interface Networks {
  /** Null when the system cannot separate networks. Throws `ShellError`, as when the name is open. */
  open(name: string): Promise<CommandNetwork | null>
  /** Null when no network of this name is open. */
  join(name: string | undefined): NetworkPart | null
}

interface OpenNetwork {
  readonly held: HeldNetwork
  /** How many have a part of it. */
  parts: number
}

export function createNetworks(sandbox: { holdNetwork(): Promise<HeldNetwork | null> }): Networks {
  const open = new Map<string, OpenNetwork>()
  const opening = new Set<string>()
  const leave = async (network: OpenNetwork) => {
    network.parts -= 1
    if (network.parts === 0) await network.held[Symbol.asyncDispose]()
  }
  return {
    async open(name) {
      if (open.has(name) || opening.has(name)) throw new ShellError('unavailable', `The network ${name} is open.`)
      opening.add(name)
      try {
        const held = await sandbox.holdNetwork()
        if (held === null) return null
        const network: OpenNetwork = { held, parts: 1 }
        open.set(name, network)
        return {
          ports: held.ports,
          openPreview: held.openPreview,
          async [Symbol.asyncDispose]() {
            open.delete(name)
            await leave(network)
          },
        }
      } finally {
        opening.delete(name)
      }
    },
    join(name) {
      const network = name === undefined ? undefined : open.get(name)
      if (!network) return null
      network.parts += 1
      const { enter, leadTo } = network.held
      return { enter, leadTo, [Symbol.asyncDispose]: () => leave(network) }
    },
  }
}
