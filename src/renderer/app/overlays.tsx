import { type ReactNode, Suspense, useEffect } from 'react'
import { KeyList } from '../settings/key-list.tsx'
import { useApp, useUpdateView } from '../state/hooks.tsx'
import { isMac } from '../state/platform.ts'
import { strings } from '../state/strings.ts'
import { Dialog } from '../ui/dialog.tsx'
import { CommandPalette, ContextDialog, fetchPaletteSoon, RewindDialog } from './lazy.ts'

/** What lies over the page: the palette, the list of keys, the context of a thread. */
export function Overlays(): ReactNode {
  const overlay = useApp((state) => state.view.overlay)
  const updateView = useUpdateView()
  const close = (): void => updateView((view) => ({ ...view, overlay: 'none' }))
  useEffect(fetchPaletteSoon, [])
  if (overlay === 'none') return null
  if (overlay === 'keys') {
    return (
      <Dialog title={strings.shell.keyboardHelp} closeLabel={strings.common.close} onClose={close}>
        <KeyList mac={isMac} />
      </Dialog>
    )
  }
  return (
    <Suspense>
      {overlay === 'context' && <ContextDialog onClose={close} />}
      {overlay === 'rewind' && <RewindDialog onClose={close} />}
      {(overlay === 'files' || overlay === 'palette') && (
        <CommandPalette onlyFiles={overlay === 'files'} onClose={close} />
      )}
    </Suspense>
  )
}
