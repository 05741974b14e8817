import { outgoingFetch } from '#adapters/system/outgoing/outgoing.ts'
import type { LocalServer } from '#shared/contract/views/models.ts'
import { providerPresets } from './presets.ts'

/** A server on this machine answers at once or is not there. */
const waitMs = 1_500

/** Asks the usual addresses of servers on this machine for their models. Only when a person wants it. */
export async function findLocalServers(signal: AbortSignal): Promise<readonly LocalServer[]> {
  const asked = providerPresets
    .filter(({ local }) => local)
    .map(async (preset): Promise<LocalServer[]> => {
      const models = await listAt(preset.baseUrl, AbortSignal.any([signal, AbortSignal.timeout(waitMs)]))
      return models === null ? [] : [{ preset: preset.id, name: preset.name, address: preset.baseUrl, models }]
    })
  return (await Promise.all(asked)).flat()
}

/** The names of the models of a server; null when nothing that serves models answers. */
async function listAt(address: string, signal: AbortSignal): Promise<readonly string[] | null> {
  try {
    const base = address.replace(/\/v1$/, '')
    const response = await outgoingFetch(`${base}/v1/models`, { signal, redirect: 'error' })
    if (!response.ok) return null
    const body: unknown = await response.json()
    const { data } = body as { readonly data?: unknown }
    if (!Array.isArray(data)) return null
    return data.flatMap((one: unknown) => {
      const { id } = (one ?? {}) as { readonly id?: unknown }
      return typeof id === 'string' ? [id] : []
    })
  } catch {
    return null
  }
}
