import { fromBase64, imageInfo, whyNotShown } from '#core/tools/files/image-info.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ImagePart } from '#shared/model/message.ts'

/** The image as what its bytes are. Throws `BAD_REQUEST` for one that a provider would refuse, and with it all that is said after it. */
export function attachedImage(given: ImagePart): ImagePart {
  const bytes = fromBase64(given.data)
  const image = bytes && imageInfo(bytes)
  if (!image)
    throw new WireError('BAD_REQUEST', 'An attached image cannot be read. Attach a PNG, JPEG, GIF or WebP image.')
  const problem = whyNotShown(image, bytes.length)
  if (problem !== undefined) throw new WireError('BAD_REQUEST', `An attached image cannot be sent. ${problem}`)
  return { ...given, mediaType: image.mediaType }
}
