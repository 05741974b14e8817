import { z } from 'zod'
import { isBinary, readText } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { maxReadBytes } from '../../ports/base-tree.ts'
import { failedOutput, type ToolContext, type ToolOutput, textOutput } from '../tool.ts'
import { fileTool, pathArgument } from './file-tool.ts'
import { type ImageInfo, imageInfo, toBase64, whyNotShown } from './image-info.ts'
import { lineStarts, maxShownCharacters, pageBytes, pageLines } from './text-page.ts'

const schema = z.object({
  file_path: pathArgument.describe('Absolute path, "/" is the project root.'),
  offset: z.int().min(1).default(1).describe('First line, 1-based.'),
  limit: z.int().min(1).max(100_000).default(2_000).describe('Number of lines.'),
  byte_offset: z
    .int()
    .min(0)
    .optional()
    .describe('Read by bytes instead of lines, from here (0-based): for files with very long lines.'),
  byte_limit: z.int().min(1).max(maxShownCharacters).optional().describe('Number of bytes; default 40,000.'),
})
type Arguments = z.infer<typeof schema>

/** `read_file`: reads one page of any file. */
export const readFileTool = fileTool<Arguments>({
  ...toolFacts.read_file,
  keepsLargeResults: true,
  description:
    'Reads a file. Text comes as lines "<number><tab><text>" with a notice when there is more; the number and tab are not part of the file. Images (png, jpeg, gif, webp) are shown to you; other binary files only with type and size. Read a file before you edit it.',
  schema,
  async run(args, context) {
    const { file_path: path } = args
    const byBytes = args.byte_offset !== undefined || args.byte_limit !== undefined
    const plain = byBytes ? undefined : await context.files.readPlain(path)
    if (plain) return readsOf(present(args, plain), path, plain, context)
    const node = await context.files.stat(path)
    if (!node) return failedOutput(`There is no file ${path}. Use ls or glob to find it.`)
    if (node.kind === 'directory') return failedOutput(`${path} is a folder. Use ls to list it.`)
    const huge = node.kind === 'file' && node.size > maxReadBytes
    if (byBytes || huge) return readBytes(args, context, node.kind === 'file' ? node.size : null)
    const bytes = await context.files.read(path)
    const output = readsOf(present(args, bytes), path, bytes, context)
    const drift = output.ok ? await context.drift(path) : null
    if (!drift) return output
    return {
      ...output,
      content: [...output.content, { type: 'text', text: besideDisk }],
      diskVersionsSeen: [[drift.path, drift.disk]],
    }
  },
})

/** Notes in the read ledger which version of the file the agent knows now. */
function readsOf(output: ToolOutput, path: VirtualPath, bytes: Uint8Array, { files }: ToolContext): ToolOutput {
  return output.ok ? { ...output, reads: [[path, files.hash(bytes)]] } : output
}

const besideDisk =
  '[This is the branch’s version. The file on disk has moved on since the branch changed it; the user joins both when the changes are applied.]'

function present({ file_path: path, offset, limit }: Arguments, raw: Uint8Array): ToolOutput {
  const found = isBinary(raw) ? readText(raw) : undefined
  const bytes = found ? new TextEncoder().encode(found.text) : raw
  if (bytes.length === 0) return textOutput(`${path} is empty (0 bytes).`)
  const image = imageInfo(bytes)
  if (image) return describeImage(path, image, bytes)
  if (isBinary(bytes))
    return textOutput(
      `${path} is a binary file (${binaryType(path, bytes)}, ${bytes.length} bytes). Its bytes are not shown.`,
    )
  const starts = lineStarts(bytes)
  if (offset > starts.length)
    return failedOutput(`${path} has ${starts.length} lines; offset ${offset} is past its end.`)
  const page = pageLines(bytes, starts, offset, limit)
  const more = page.last < page.total
  const notices = [
    (more || page.first > 1) &&
      `[Lines ${page.first}–${page.last} of ${page.total}.${more ? ` Read on with offset=${page.last + 1}.` : ''}]`,
    found !== undefined && '[The file is UTF-16, and stays so when you edit.]',
    hasCarriageReturns(bytes) && '[Lines end in CRLF. The line ends are kept when you edit.]',
  ]
  return textOutput([page.text, ...notices.filter((notice) => notice !== false)].join('\n'))
}

function describeImage(path: VirtualPath, image: ImageInfo, bytes: Uint8Array): ToolOutput {
  const { mediaType, width, height } = image
  const about = `${path}: ${mediaType}, ${width} × ${height} px, ${bytes.length} bytes.`
  const problem = whyNotShown(image, bytes.length)
  if (problem !== undefined) return textOutput(`${about} ${problem}`)
  return {
    ok: true,
    content: [
      { type: 'text', text: about },
      { type: 'image', mediaType, data: toBase64(bytes) },
    ],
  }
}

/** A page by bytes shows only a part of the file, so it does not count as having read the file. */
async function readBytes(args: Arguments, { files }: ToolContext, size: number | null): Promise<ToolOutput> {
  const { file_path: path, byte_offset: start = 0, byte_limit: wanted = 40_000 } = args
  const total = size ?? (await files.read(path)).length
  if (total === 0) return textOutput(`${path} is empty (0 bytes).`)
  if (start >= total) return failedOutput(`${path} has ${total} bytes; byte_offset ${start} is past its end.`)
  const bytes = await files.read(path, { offset: start, length: wanted })
  if (isBinary(bytes))
    return textOutput(`${path} is a binary file (${binaryType(path, bytes)}, ${total} bytes). Its bytes are not shown.`)
  const page = pageBytes(bytes, start, wanted, total)
  const next = page.end < total ? ` Read on with byte_offset=${page.end}.` : ''
  return textOutput(`${page.text}\n[Bytes ${page.start}–${page.end} of ${total}.${next}]`)
}

const magics: readonly (readonly [string, string])[] = [
  ['%PDF-', 'PDF document'],
  ['PK\x03\x04', 'ZIP archive'],
  ['\x1f\x8b', 'gzip data'],
  ['\x7fELF', 'ELF program'],
  ['\0asm', 'WebAssembly module'],
  ['SQLite format 3\0', 'SQLite database'],
  ['\xff\xfe', 'UTF-16 text'],
  ['\xfe\xff', 'UTF-16 text'],
]

function binaryType(path: VirtualPath, bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  const known = magics.find(([magic]) => start.startsWith(magic))?.[1]
  const extension = /\.([A-Za-z0-9]{1,10})$/.exec(path)?.[1]
  return known ?? (extension ? `.${extension} file` : 'unknown type')
}

function hasCarriageReturns(bytes: Uint8Array): boolean {
  const end = bytes.indexOf(10)
  return end > 0 && bytes[end - 1] === 13
}
