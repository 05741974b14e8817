import { GlobalWorkerOptions, getDocument } from 'pdfjs-dist'
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url'

/** An open PDF. Pages count from 1. */
export interface PdfFile {
  readonly pages: number
  /** Draws a page. `done` rejects when that is not possible; `stop` ends it. */
  draw(page: number, canvas: HTMLCanvasElement): { readonly done: Promise<void>; readonly stop: () => void }
  close(): void
}

/** The width of a page in pixels of the page. */
const pageWidth = 760
/** No canvas gets larger than that on one side. */
const longestSide = 4000

/** Reads a PDF in a worker. Rejects when it is damaged, or wants a password. */
export async function openPdf(data: Uint8Array): Promise<PdfFile> {
  GlobalWorkerOptions.workerSrc = workerUrl
  // Nothing is fetched, and no code of the file becomes code of the page.
  const task = getDocument({
    data,
    useSystemFonts: false,
    disableFontFace: false,
    enableXfa: false,
    disableRange: true,
    disableStream: true,
    disableAutoFetch: true,
    stopAtErrors: false,
  })
  const file = await task.promise
  return {
    pages: file.numPages,
    draw(page, canvas) {
      let isWanted = true
      const done = (async () => {
        const sheet = await file.getPage(page)
        const natural = sheet.getViewport({ scale: 1 })
        const scale = Math.min(
          (pageWidth * Math.min(devicePixelRatio, 2)) / natural.width,
          longestSide / Math.max(natural.width, natural.height),
        )
        const viewport = sheet.getViewport({ scale })
        if (!isWanted) return
        canvas.width = Math.max(Math.floor(viewport.width), 1)
        canvas.height = Math.max(Math.floor(viewport.height), 1)
        canvas.style.width = `${pageWidth}px`
        await sheet.render({ canvas, viewport }).promise
      })()
      return {
        done,
        stop: () => {
          isWanted = false
        },
      }
    },
    close: () => void task.destroy(),
  }
}
