import { type ReactNode, useEffect, useRef, useState } from 'react'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { bytesOf } from './bytes.ts'
import { openPdf, type PdfFile } from './open-pdf.ts'

const labels = strings.viewers
/** More pages are drawn on request. */
const pagesTogether = 5

type Opened =
  | { readonly state: 'opening' }
  | { readonly state: 'failed' }
  | { readonly state: 'open'; readonly file: PdfFile }

interface PdfPagesProps {
  readonly base64: string
  /** Says which of two versions it is; null for the only one. */
  readonly label: string | null
}

/** The pages of a PDF as pictures. Scripts, forms and links in it do nothing. */
export function PdfPages({ base64, label }: PdfPagesProps): ReactNode {
  const [opened, setOpened] = useState<Opened>({ state: 'opening' })
  const [shown, setShown] = useState(pagesTogether)
  useEffect(() => {
    let isWanted = true
    const opening = openPdf(bytesOf({ base64 }))
    opening.then(
      (file) => isWanted && setOpened({ state: 'open', file }),
      () => isWanted && setOpened({ state: 'failed' }),
    )
    return () => {
      isWanted = false
      void opening.then(
        (file) => file.close(),
        () => undefined,
      )
    }
  }, [base64])
  if (opened.state === 'opening') return <p className="p-3 text-muted">{strings.common.loading}</p>
  if (opened.state === 'failed') return <p className="p-3 text-muted">{labels.noPdf}</p>
  const { file } = opened
  const pages = Array.from({ length: Math.min(shown, file.pages) }, (_, place) => place + 1)
  return (
    <div className="flex flex-col items-center gap-3 p-3">
      <p className="text-muted text-xs tabular-nums">{labels.pages(file.pages)}</p>
      {pages.map((page) => (
        <PdfPage key={page} file={file} page={page} name={pageName(page, label)} />
      ))}
      {file.pages > shown && <Button onClick={() => setShown(shown + pagesTogether)}>{labels.morePages}</Button>}
    </div>
  )
}

function pageName(page: number, label: string | null): string {
  return label === null ? labels.page(page) : `${label}: ${labels.page(page)}`
}

interface PdfPageProps {
  readonly file: PdfFile
  readonly page: number
  /** The accessible name. */
  readonly name: string
}

function PdfPage({ file, page, name }: PdfPageProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const drawing = file.draw(page, element)
    drawing.done.catch(() => setFailed(true))
    return drawing.stop
  }, [file, page])
  return (
    <figure className="max-w-full">
      {failed ? (
        <p className="p-3 text-muted">{labels.noPage}</p>
      ) : (
        <canvas ref={canvas} role="img" aria-label={name} className="max-w-full border border-line-strong" />
      )}
      <figcaption className="text-center text-muted text-xs">{labels.page(page)}</figcaption>
    </figure>
  )
}
