import { Copy, FolderOpen, SquareTerminal } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import type { InstalledCommand } from '#shared/contract/views/app.ts'
import { copyText } from '../parts/copy-text.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { UpdateCard } from './update-card.tsx'

const labels = strings.about
const icon = new URL('../icon.svg', import.meta.url).href

/** What this app is, whether there is a newer one, and where it keeps its data. */
export function AboutScreen(): ReactNode {
  const info = useApp((state) => state.info)
  if (!info) return null
  return (
    <>
      <header className="flex items-center gap-3">
        <img src={icon} alt="" className="size-10" />
        <div>
          <p className="font-semibold text-base">
            {strings.home.title} <span className="font-normal text-muted">{info.version}</span>
          </p>
          <p className="text-pretty text-muted">{labels.lead}</p>
        </div>
      </header>
      <UpdateCard />
      <DataFolder folder={info.dataFolder} logFile={info.logFile} canOpen={info.shell === 'desktop'} />
      <CommandLine canInstall={info.canInstallCommand} />
    </>
  )
}

interface DataFolderProps {
  readonly folder: string
  readonly logFile: string | null
  readonly canOpen: boolean
}

function DataFolder({ folder, logFile, canOpen }: DataFolderProps): ReactNode {
  const client = useClient()
  const opening = useCommand()
  return (
    <Part title={labels.data} hint={labels.dataHint}>
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 basis-60 text-xs [overflow-wrap:anywhere]">{folder}</code>
        {canOpen && (
          <Button
            icon={<FolderOpen size={14} aria-hidden />}
            disabled={opening.busy}
            onClick={() => void opening.run(() => client.app.openDataFolder())}
          >
            {labels.open}
          </Button>
        )}
        <IconButton label={labels.copyPath} onClick={() => copyText(folder)}>
          <Copy size={14} aria-hidden />
        </IconButton>
      </div>
      {logFile !== null && (
        <p className="text-muted text-xs [overflow-wrap:anywhere]">
          {labels.log}: <code>{logFile}</code>
        </p>
      )}
      {opening.refusal && <RefusalNotice refusal={opening.refusal} />}
    </Part>
  )
}

function CommandLine({ canInstall }: { canInstall: boolean }): ReactNode {
  const client = useClient()
  const installing = useCommand()
  const tell = ({ path, next }: InstalledCommand): void => toastNote(labels.installed(path, next))
  return (
    <Part title={labels.command} hint={canInstall ? labels.commandHint : labels.commandThere}>
      {canInstall && (
        <Button
          icon={<SquareTerminal size={14} aria-hidden />}
          disabled={installing.busy}
          className="self-start"
          onClick={() => void installing.run(async () => tell(await client.app.installCommand()))}
        >
          {labels.installCommand}
        </Button>
      )}
      {installing.refusal && <RefusalNotice refusal={installing.refusal} />}
    </Part>
  )
}

interface PartProps {
  readonly title: string
  readonly hint: string
  readonly children: ReactNode
}

function Part({ title, hint, children }: PartProps): ReactNode {
  const titleId = useId()
  return (
    <section aria-labelledby={titleId} className="flex flex-col gap-2 border-line border-t pt-4">
      <h3 id={titleId} className="font-semibold">
        {title}
      </h3>
      <p className="text-pretty text-muted">{hint}</p>
      {children}
    </section>
  )
}
