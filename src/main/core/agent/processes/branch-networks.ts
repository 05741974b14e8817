import type { BranchId } from '#shared/model/ids.ts'
import type { CommandNetwork, ListeningPort, Preview } from '../../ports/shell.ts'
import type { AgentServices } from '../types/services.ts'

/** The networks of branches in which processes run. */
export interface BranchNetworks {
  /** Does nothing when it is open, and when the system cannot separate networks. */
  open(branchId: BranchId): Promise<void>
  /** What listens in the network, as last seen. Empty without a network. */
  ports(branchId: BranchId): readonly ListeningPort[]
  /** The address of a preview; null when nothing listens on the port. */
  openPreview(branchId: BranchId, port: number): Promise<string | null>
  close(branchId: BranchId): Promise<void>
  closeAll(): Promise<void>
}

interface OpenNetwork {
  readonly network: CommandNetwork | null
  readonly closing: AbortController
  readonly previews: Map<number, Promise<Preview>>
  ports: readonly ListeningPort[]
}

/** Nothing tells when a program begins to listen, so the ports are looked at this often, in milliseconds. */
const lookMs = 500

/** `onPorts` hears of a branch whose ports have changed. */
export function createBranchNetworks(
  { shell, clock }: Pick<AgentServices, 'shell' | 'clock'>,
  onPorts: (branchId: BranchId) => void,
): BranchNetworks {
  const networks = new Map<BranchId, Promise<OpenNetwork>>()
  const current = new Map<BranchId, OpenNetwork>()

  async function watch(branchId: BranchId, open: OpenNetwork): Promise<void> {
    const { network, closing, previews } = open
    while (network && !closing.signal.aborted) {
      const ports = network.ports()
      if (ports.map(({ port }) => port).join() !== open.ports.map(({ port }) => port).join()) {
        open.ports = ports
        for (const [port, preview] of previews) {
          if (ports.some((one) => one.port === port)) continue
          previews.delete(port)
          void preview.then((opened) => opened[Symbol.asyncDispose]()).catch(() => undefined)
        }
        onPorts(branchId)
      }
      await clock.sleep(lookMs, closing.signal)
    }
  }
  async function make(branchId: BranchId): Promise<OpenNetwork> {
    const network = await shell.openNetwork(branchId)
    const open: OpenNetwork = { network, closing: new AbortController(), previews: new Map(), ports: [] }
    current.set(branchId, open)
    void watch(branchId, open).catch(() => undefined)
    return open
  }
  async function close(branchId: BranchId): Promise<void> {
    const opening = networks.get(branchId)
    networks.delete(branchId)
    const open = await opening?.catch(() => undefined)
    current.delete(branchId)
    open?.closing.abort()
    await open?.network?.[Symbol.asyncDispose]()
  }
  return {
    async open(branchId) {
      const opening = networks.get(branchId) ?? make(branchId)
      networks.set(branchId, opening)
      opening.catch(() => networks.delete(branchId))
      await opening
    },
    ports: (branchId) => current.get(branchId)?.ports ?? [],
    async openPreview(branchId, port) {
      const open = current.get(branchId)
      const listening = open?.network?.ports().find((one) => one.port === port)
      if (!open?.network || !listening) return null
      const preview = open.previews.get(port) ?? open.network.openPreview(listening)
      open.previews.set(port, preview)
      preview.catch(() => open.previews.delete(port))
      return (await preview).url
    },
    close,
    async closeAll() {
      await Promise.all([...networks.keys()].map(close))
    },
  }
}
