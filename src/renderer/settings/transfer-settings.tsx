import { Download, Upload } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import type { SettingsProblem } from '#shared/model/settings.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { useClient, useCommand } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { DiffView } from '../ui/diff/diff-view.tsx'
import { diffTexts } from '../ui/diff/line-diff.ts'
import { saveFile } from '../ui/react/save-file.ts'
import type { SettingsFileProps } from './settings-file.tsx'
import { ProblemList } from './settings-file.tsx'

const labels = strings.settingsFile

/** Exports and imports all settings as one file. Previews what an import changes. */
export function TransferSettings({ now, onSaved }: SettingsFileProps): ReactNode {
  const client = useClient()
  const reading = useCommand()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const input = useRef<HTMLInputElement>(null)
  async function choose(file: File | undefined): Promise<void> {
    if (!file) return
    await reading.run(async () => {
      const text = await file.text()
      setChosen({ text, problems: await client.settings.check({ text }) })
    })
  }
  return (
    <>
      <section aria-label={labels.exportTitle} className="flex flex-col items-start gap-2">
        <h3 className="font-semibold">{labels.exportTitle}</h3>
        <p className="text-muted">{labels.exportAbout}</p>
        <Button
          icon={<Download size={14} aria-hidden />}
          onClick={() => saveFile('coppice-settings.json', now.text, 'application/json')}
        >
          {labels.export}
        </Button>
      </section>
      <section aria-label={labels.importTitle} className="flex flex-col gap-2">
        <h3 className="font-semibold">{labels.importTitle}</h3>
        <p className="text-muted">{labels.importAbout}</p>
        <Button
          className="self-start"
          icon={<Upload size={14} aria-hidden />}
          disabled={reading.busy}
          onClick={() => input.current?.click()}
        >
          {labels.choose}
        </Button>
        <input
          ref={input}
          type="file"
          aria-label={labels.choose}
          accept=".json,.jsonc,application/json"
          className="hidden"
          onChange={({ target }) => {
            void choose(target.files?.[0])
            target.value = ''
          }}
        />
        {reading.refusal && <RefusalNotice refusal={reading.refusal} />}
        {chosen && <Preview chosen={chosen} now={now} onSaved={onSaved} onDone={() => setChosen(null)} />}
      </section>
    </>
  )
}

interface Chosen {
  readonly text: string
  readonly problems: readonly SettingsProblem[]
}

interface PreviewProps extends SettingsFileProps {
  readonly chosen: Chosen
  readonly onDone: () => void
}

function Preview({ chosen: { text, problems }, now, onSaved, onDone }: PreviewProps): ReactNode {
  const client = useClient()
  const importing = useCommand()
  const offerUndo = useOfferUndo()
  const wrong = problems.filter((problem) => problem.wrong).length
  const hunks = diffTexts(now.text, text)
  async function replace(): Promise<void> {
    const before = now.text
    const done = await importing.run(() => client.settings.replace({ text, from: before }))
    if (!done) return
    offerUndo(labels.imported, async () => {
      await client.settings.replace({ text: before, from: text })
      onSaved()
    })
    onSaved()
    onDone()
  }
  return (
    <section aria-label={labels.preview} className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <h3 className="font-semibold">{labels.preview}</h3>
      {problems.length > 0 && (
        <Notice
          tone={wrong > 0 ? 'error' : 'info'}
          title={wrong > 0 ? labels.refused(wrong) : labels.warned(problems.length)}
        />
      )}
      <ProblemList problems={problems} />
      {hunks.length === 0 ? (
        <p className="text-muted">{labels.same}</p>
      ) : (
        <DiffView label={labels.preview} hunks={hunks} showAllLabel={labels.showAll} />
      )}
      {importing.refusal && <RefusalNotice refusal={importing.refusal} />}
      <div className="flex gap-2">
        <Button
          tone="primary"
          disabled={wrong > 0 || hunks.length === 0 || importing.busy}
          onClick={() => void replace()}
        >
          {labels.import}
        </Button>
        <Button onClick={onDone}>{strings.common.cancel}</Button>
      </div>
    </section>
  )
}
