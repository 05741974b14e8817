import { type CSSProperties, type ReactNode, useEffect } from 'react'
import { Toaster } from 'sonner'
import { useApp } from '../state/hooks/hooks.tsx'
import { useMedia } from '../ui/react/observers.ts'
import { sidebarFits } from './side-widths.ts'

/** Gives notes the colours of the page, and puts their close button at the end. */
const toastLooks = {
  fontFamily: 'inherit',
  '--toast-close-button-start': 'unset',
  '--toast-close-button-end': '0',
  '--toast-close-button-transform': 'translate(35%, -35%)',
  '--normal-bg': 'var(--raised)',
  '--normal-border': 'var(--line-strong)',
  '--normal-text': 'var(--text)',
} as CSSProperties
/** Fits into the sidebar as it is at first. */
const narrowToast = { ...toastLooks, '--width': '232px' } as CSSProperties

/**
 * Notes lie over the sidebar, where they cover no button. Without a sidebar they lie over the text of the chat, and below
 * everything else. They come first in the page, so that Tab has somewhere to go behind them.
 */
export function Toasts(): ReactNode {
  useWayOut()
  const fits = useMedia(sidebarFits)
  const hasSidebar = useApp(
    ({ ui, projectInfo }) =>
      ui.route === 'settings' || (ui.sidebar && projectInfo !== null && ui.route === 'workspace'),
  )
  const isChat = useApp(({ ui }) => ui.route === 'workspace' && ui.tab === 'chat')
  const beside = fits && hasSidebar
  const offset = isChat ? { top: belowTabs } : { bottom: aboveStatus }
  return (
    <Toaster
      position={beside ? 'bottom-left' : isChat ? 'top-center' : 'bottom-center'}
      offset={beside ? { bottom: aboveStatus, left: 8 } : offset}
      mobileOffset={offset}
      style={beside ? narrowToast : toastLooks}
      visibleToasts={beside ? 3 : 1}
      closeButton
    />
  )
}

/** Pixels of the bar and the tabs. */
const belowTabs = 88
/** Pixels of the status bar, and a margin. */
const aboveStatus = 36
const notes = '[data-sonner-toaster]'

/**
 * Lets Tab and Shift+Tab leave the notes. By themselves they give the focus back to where it came from, which would hold
 * somebody between the notes and the part behind them. Notes are first in the page, so Shift+Tab leaves the page: then
 * they are not told before the focus is somewhere else.
 */
function useWayOut(): void {
  useEffect(() => {
    let left: Element | null = null
    function onLeave(event: FocusEvent): void {
      const { target, relatedTarget } = event
      if (!(target instanceof Element && target.closest(notes)) || target.closest('[data-removed="true"]')) return
      if (relatedTarget === null) {
        event.stopPropagation()
        left = target
      } else if (relatedTarget instanceof HTMLElement && !relatedTarget.closest(notes)) {
        setTimeout(() => relatedTarget.focus())
      }
    }
    function onEnter({ target }: FocusEvent): void {
      const from = left
      left = null
      if (!from || !(target instanceof Element) || target.closest(notes)) return
      from.dispatchEvent(new FocusEvent('focusout', { bubbles: true, relatedTarget: target }))
    }
    const listening = new AbortController()
    const first = { capture: true, signal: listening.signal }
    document.addEventListener('focusout', onLeave, first)
    document.addEventListener('focusin', onEnter, first)
    return () => listening.abort()
  }, [])
}
