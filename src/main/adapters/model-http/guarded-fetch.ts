import { outgoingFetch } from '#adapters/system/outgoing/outgoing.ts'
import { ModelError } from '#core/ports/model-client.ts'
import { shownAddress } from './shown-address.ts'

/**
 * A `fetch` for servers of models. A redirect to another server gets neither the key nor the conversation, which `fetch`
 * by itself would carry along in headers of other names and in the body. Throws `ModelError` for such a redirect.
 */
export const guardedFetch: typeof fetch = async (input, init) => {
  let response = await outgoingFetch(input, { ...init, redirect: 'manual' })
  for (let followed = 0; redirects.has(response.status); followed += 1) {
    const from = new URL(response.url)
    const to = URL.parse(response.headers.get('location') ?? '', from)
    await response.body?.cancel()
    const isRepeatable = response.status === 307 || response.status === 308 || methodOf(input, init) === 'GET'
    if (to === null || to.origin !== from.origin || !isRepeatable || input instanceof Request)
      throw redirectError(from, to)
    if (followed === mostRedirects) throw redirectError(from, to)
    response = await outgoingFetch(to, { ...init, redirect: 'manual' })
  }
  return response
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const mostRedirects = 5

function methodOf(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): string {
  return (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
}

function redirectError(from: URL, to: URL | null): ModelError {
  const target = to === null ? 'no address' : shownAddress(to.href)
  return new ModelError(
    'forbidden',
    `${shownAddress(from.href)} redirects to ${target}, where nothing was sent. If that is your server, set base_url to its address; a proxy or a login may stand before it.`,
  )
}
