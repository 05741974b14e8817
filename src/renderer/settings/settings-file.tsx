import { CircleAlert, Info, Save } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { SettingsProblem } from '#shared/model/settings.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand } from '../state/hooks/hooks.tsx'
import { useEdit } from '../state/hooks/use-edit.ts'
import { useQuery } from '../state/hooks/use-query.ts'
import type { Edit } from '../state/store/edits.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { useDebounced } from '../ui/react/observers.ts'

const CodeEditor = lazy(async () => ({ default: (await import('../ui/code/code-editor.tsx')).CodeEditor }))
const labels = strings.settingsFile

export interface SettingsFileProps {
  readonly now: SettingsFile
  /** Called when the file was saved. */
  readonly onSaved: () => void
}

/** Edits the settings file. The text is checked while the person types, and can be saved only without errors. */
export function SettingsFileEditor({ now, onSaved }: SettingsFileProps): ReactNode {
  const client = useClient()
  const saving = useCommand()
  const [unsaved, setUnsaved] = useEdit(`settings ${now.file}`)
  const text = unsaved?.typed ?? now.text
  const problems = useProblems(text)
  const isWrong = problems === null || problems.some(({ wrong }) => wrong)
  async function save({ typed, before }: Edit): Promise<void> {
    const done = await saving.run(() => client.settings.replace({ text: typed, from: before }))
    if (!done) return
    setUnsaved(null)
    toastNote(labels.saved)
    onSaved()
  }
  return (
    <section aria-label={labels.title} className="flex min-h-96 flex-1 flex-col gap-2">
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="font-semibold">{labels.editor}</h2>
        {unsaved && <span className="text-warn text-xs">{labels.unsaved}</span>}
        <span className="ml-auto flex gap-2">
          {unsaved && <Button onClick={() => setUnsaved(null)}>{labels.discard}</Button>}
          <Button
            tone={unsaved ? 'primary' : 'plain'}
            icon={<Save size={14} aria-hidden />}
            disabled={!unsaved || isWrong || saving.busy}
            onClick={() => unsaved && void save(unsaved)}
          >
            {labels.save}
          </Button>
        </span>
      </header>
      <p className="text-muted text-xs [overflow-wrap:anywhere]">
        {labels.about} {now.file}
      </p>
      {unsaved && unsaved.before !== now.text && (
        <Notice
          tone="warning"
          title={labels.changedOutside}
          detail={labels.changedOutsideDetail}
          actions={
            <>
              <Button onClick={() => setUnsaved(null)}>{labels.takeTheirs}</Button>
              <Button onClick={() => setUnsaved({ ...unsaved, before: now.text })}>{labels.keepMine}</Button>
            </>
          }
        />
      )}
      {saving.refusal && <RefusalNotice refusal={saving.refusal} />}
      <div role="status" className="min-h-6">
        {problems?.length === 0 && <p className="text-muted text-xs">{labels.valid}</p>}
        {problems && <ProblemList problems={problems} />}
      </div>
      <Reference />
      <div className="min-h-80 flex-1 overflow-hidden rounded-md border border-line">
        <Suspense fallback={<p className="p-2 text-muted">{strings.common.loading}</p>}>
          <CodeEditor
            label={labels.editor}
            path="settings.json"
            value={text}
            onChange={(written) =>
              setUnsaved(written === now.text ? null : { typed: written, before: unsaved?.before ?? now.text })
            }
          />
        </Suspense>
      </div>
    </section>
  )
}

/** What can be in the file: every setting with its meaning, as in the guide. */
function Reference(): ReactNode {
  const [open, setOpen] = useState(false)
  const [listed, reload] = useQuery('settings.reference', open ? undefined : null)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="text-xs">
      <summary className="cursor-pointer text-muted">{labels.reference}</summary>
      {listed.state === 'failed' && <RefusalNotice refusal={listed.refusal} onRetry={reload} />}
      <dl className="mt-1 max-h-64 overflow-y-auto rounded-md border border-line p-2">
        {(listed.value ?? []).map(({ path, takes, usual, description }) => (
          <div key={path} className="py-1 [overflow-wrap:anywhere]">
            <dt>
              <code className="font-semibold">
                <VisibleText text={path} />
              </code>{' '}
              <span className="text-muted">
                {takes}
                {usual !== null && ` · ${labels.usual(usual)}`}
              </span>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** Milliseconds without typing before a text is checked. */
const restAfter = 250

/** The problems in a settings text; null until the text is checked. */
function useProblems(text: string): readonly SettingsProblem[] | null {
  const rested = useDebounced(text, restAfter)
  const [checked] = useQuery('settings.check', { text: rested })
  return rested === text && checked.state === 'ready' ? checked.value : null
}

/** The problems in a settings text, each with its line. */
export function ProblemList({ problems }: { problems: readonly SettingsProblem[] }): ReactNode {
  return (
    <ul className="flex max-h-32 flex-col gap-1 overflow-y-auto text-xs">
      {problems.map(({ line, message, wrong }) => {
        const Icon = wrong ? CircleAlert : Info
        return (
          <li key={`${line} ${message}`} className={`flex gap-1.5 ${wrong ? 'text-bad' : 'text-muted'}`}>
            <Icon size={13} aria-hidden className="mt-0.5 shrink-0" />
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <VisibleText text={strings.settingsFile.problem(line, message)} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

interface SettingsFile {
  readonly file: string
  readonly text: string
}

/** The current settings file. The session asks again when another program changed it. Null until it is loaded. */
export function useSettingsText(): readonly [SettingsFile | null, () => void] {
  const [loaded, reload] = useQuery('settings.text', undefined)
  return [loaded.value, reload]
}
