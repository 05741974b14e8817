import type { UpdateView } from '#shared/contract/views/updates.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import type { Updates } from './updates.ts'

export function updateHandlers(os: Implementer, { updates }: Pick<HostParts, 'updates'>) {
  return {
    follow: os.updates.follow.handler(({ signal }) => follow(updates, signal)),
    check: os.updates.check.handler(() => updates.check()),
    install: os.updates.install.handler(() => updates.install()),
    wait: os.updates.wait.handler(async () => updates.wait()),
    switch: os.updates.switch.handler(async ({ input }) => updates.switch(input.on)),
  }
}

/** The view now and after each change. Changes that nobody has read yet are one. */
async function* follow(updates: Updates, signal: AbortSignal | undefined): AsyncGenerator<UpdateView, void> {
  let wake = (): void => undefined
  let hasChanged = true
  const tell = (): void => {
    hasChanged = true
    wake()
  }
  using _listening = updates.listen(tell)
  signal?.addEventListener('abort', tell)
  while (!signal?.aborted) {
    if (hasChanged) {
      hasChanged = false
      yield updates.view()
    } else
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
}
