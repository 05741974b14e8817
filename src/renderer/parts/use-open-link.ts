import { refusalOf } from '../state/connection/refusal.ts'
import { useApp, useClient } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { toastProblem } from '../ui/controls/toast.ts'

/**
 * Opens a link outside of the window: in the person's browser, or in a tab beside the window that is one already. Only
 * addresses of the web open; others, such as scripts, do nothing.
 */
export function useOpenLink(): (url: string) => void {
  const client = useClient()
  const isDesktop = useApp((state) => state.info?.shell === 'desktop')
  return (url) => {
    if (!/^https?:\/\//i.test(url)) return
    if (!isDesktop) window.open(url, '_blank', 'noopener,noreferrer')
    else
      void client.app
        .openExternal({ url })
        .catch((error: unknown) => toastProblem(strings.common.linkNotOpened, refusalOf(error).message))
  }
}
