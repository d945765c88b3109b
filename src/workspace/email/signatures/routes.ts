import { workspace } from '#kernel/http/route.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { CreateSignature, createSignature, Signature, signatureList, signatures, updateSignature } from './signatures.ts'

const { get, post, put, del } = workspace
const view = 'email.view'
const manage = 'email.signatures.manage'

export const signatureRoutes = [
  get('/signatures', { allow: view, query: signatureList.query, page: Signature }, (ctx, { query }) =>
    signatureList.page(ctx, query),
  ),
  post(
    '/signatures',
    { allow: manage, body: CreateSignature, reply: Signature, status: 201, message: 'Signature created.' },
    async (ctx, { body }) => signatures.show(ctx, (await createSignature(ctx, body)).uuid),
  ),
  get('/signatures/:uuid', { allow: view, reply: Signature }, (ctx, { uuid }) => signatures.show(ctx, uuid)),
  put(
    '/signatures/:uuid',
    { allow: manage, record: signatures.lock, body: changesOf(CreateSignature), reply: Signature, message: 'Signature saved.' },
    async (ctx, { uuid, record, body }) => {
      await updateSignature(ctx, record, body)
      return signatures.show(ctx, uuid)
    },
  ),
  del('/signatures/:uuid', { allow: manage, record: signatures.lock, message: 'Signature deleted.' }, (ctx, { record }) =>
    signatures.remove(ctx, record),
  ),
]
