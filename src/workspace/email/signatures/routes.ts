import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { CreateSignature, createSignature, signatureList, signatures, updateSignature } from './signatures.ts'

const view = 'email.view'
const manage = 'email.signatures.manage'

export const signatureRoutes = lookupRoutes(signatures, '/signatures', {
  list: signatureList,
  body: CreateSignature,
  allow: { view, create: manage, update: manage, delete: manage },
  create: createSignature,
  update: updateSignature,
})
