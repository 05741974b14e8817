import { ArrowLeft, FileCode2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useApp, useSession, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useSavedChoice } from '../state/preferences/use-saved-choice.ts'
import type { SettingsSection } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { reachable } from '../ui/react/elements.tsx'
import { SettingsFileEditor, useSettingsText } from './settings-file.tsx'
import { SettingsSearch } from './settings-search.tsx'
import { Section, type Slots } from './settings-sections.tsx'

const labels = strings.settings

/** The sections whose settings are in the settings file. */
const inFile: ReadonlySet<SettingsSection> = new Set(['models', 'permissions', 'agents', 'mcp', 'checks'])

interface SettingsScreenProps {
  readonly mac: boolean
  readonly onBack: () => void
  readonly slots: Slots
}

export function SettingsScreen({ mac, onBack, slots }: SettingsScreenProps): ReactNode {
  const section = useApp((state) => state.ui.settingsSection)
  const session = useSession()
  const updateUi = useUpdateUi()
  const page = useRef<HTMLElement>(null)
  /** The label of the field that was chosen last. A new object each time, so that a field can be chosen again. */
  const [wanted, setWanted] = useState<{ readonly label: string } | null>(null)
  const [now, reload] = useSettingsText()
  const [file, setFile] = useSavedChoice('coppice-settings-file', ['hidden', 'shown'])
  const text = now?.text
  useEffect(() => {
    // Without a connection there is nothing to say here, and the next connection asks again.
    if (text !== undefined) session.refreshInfo().catch(() => undefined)
  }, [session, text])
  const hasFile = inFile.has(section)
  const beside = hasFile && file === 'shown'
  function choose(settingsSection: SettingsSection, field: string | null): void {
    updateUi((ui) => ({ ...ui, settingsSection }))
    setWanted(field === null ? null : { label: field })
  }
  useEffect(() => (page.current && wanted ? revealOnceRendered(page.current, wanted.label) : undefined), [wanted])
  return (
    <div className="flex h-full max-md:flex-col max-md:overflow-auto">
      <nav
        aria-label={labels.title}
        className="shrink-0 overflow-y-auto border-line bg-panel p-2 max-md:border-b md:w-56 md:border-r"
      >
        <Button tone="quiet" icon={<ArrowLeft size={14} aria-hidden />} onClick={onBack}>
          {labels.back}
        </Button>
        <h1 className="px-2 pt-2 pb-1 font-semibold text-base">{labels.title}</h1>
        <SettingsSearch section={section} onChoose={choose} />
      </nav>
      <main ref={page} {...reachable} className="min-h-0 min-w-0 flex-1 md:overflow-auto">
        <div className={classNames('mx-auto flex gap-6 p-6 max-xl:flex-col', widthOf(section, beside))}>
          <div className="flex min-w-0 flex-1 flex-col gap-5">
            <header className="flex flex-wrap items-center gap-2">
              <h2 className="flex-1 font-semibold text-lg">{labels.sections[section]}</h2>
              {hasFile && (
                <Button
                  icon={<FileCode2 size={14} aria-hidden />}
                  aria-pressed={beside}
                  onClick={() => setFile(beside ? 'hidden' : 'shown')}
                >
                  {beside ? strings.settingsFile.hide : strings.settingsFile.show}
                </Button>
              )}
            </header>
            {now ? (
              <Section section={section} mac={mac} slots={slots} now={now} onSaved={reload} />
            ) : (
              <p className="text-muted">{strings.common.loading}</p>
            )}
          </div>
          {beside && now && <SettingsFileEditor now={now} onSaved={reload} />}
        </div>
      </main>
    </div>
  )
}

/** Tables need more room than forms, and the file beside a form as much as there is. */
function widthOf(section: SettingsSection, beside: boolean): string {
  if (beside) return 'max-w-7xl'
  return section === 'usage' ? 'max-w-4xl' : 'max-w-2xl'
}

const named = 'label, legend, h3, button'

/**
 * Scrolls to a field and focuses it once it is rendered, however long its section takes to load. `label` is its name on
 * screen. Some fields are never there, so it ends when the person goes on with something else. Returns what ends it, too.
 */
function revealOnceRendered(page: HTMLElement, label: string): () => void {
  const waiting = new AbortController()
  const observer = new MutationObserver(() => revealField(page, label) && waiting.abort())
  const end = (): void => waiting.abort()
  waiting.signal.addEventListener('abort', () => observer.disconnect())
  if (revealField(page, label)) return end
  observer.observe(page, { childList: true, subtree: true })
  const listen = { capture: true, passive: true, signal: waiting.signal }
  for (const type of ['pointerdown', 'keydown']) window.addEventListener(type, end, listen)
  return end
}

/** False while there is no such field. */
function revealField(page: HTMLElement, label: string): boolean {
  const found = [...page.querySelectorAll<HTMLElement>(named)].find((one) => one.textContent?.trim().startsWith(label))
  if (!found) return false
  found.scrollIntoView({ block: 'center' })
  focusable(found)?.focus({ preventScroll: true })
  return true
}

function focusable(found: HTMLElement): HTMLElement | null | undefined {
  if (found instanceof HTMLButtonElement) return found
  if (found instanceof HTMLLabelElement && found.control) return found.control
  return (found.parentElement ?? found).querySelector<HTMLElement>('input, button, textarea, select')
}
