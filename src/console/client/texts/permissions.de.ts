/**
 * German permissions: by name (`invoices.void` is the module’s title and a verb) and by description. Most follow a common
 * pattern; exceptions come first.
 */
import { type Sentence, sentenceOf } from './matching.ts'

const pairs = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('|') as [string, string])

/** Last parts of permission names. */
const verbs: Record<string, string> = Object.fromEntries(
  pairs(`
view|ansehen
list|auflisten
read|einzeln ansehen
create|anlegen
update|ändern
delete|löschen
restore|wiederherstellen
force.delete|endgültig löschen
export|exportieren
import|importieren
assign|zuweisen
send|senden
resend|erneut senden
accept|als angenommen vermerken
convert|umwandeln
issue|ausstellen
apply|verrechnen
void|stornieren
cancel|stornieren
approve|genehmigen
receive|als eingegangen buchen
reconcile|mit dem Konto abgleichen
configure|einrichten
manage|verwalten
manage_integrations|Anbindungen verwalten
accounts.manage|Postfächer verbinden
templates.manage|Vorlagen verwalten
signatures.manage|Signaturen verwalten
use|verwenden
adjust|korrigieren
transfer|umlagern
view_analytics|auswerten
suspend|sperren
unsuspend|entsperren
impersonate|vertreten
start|beginnen
end|beenden
archive|archivieren
verify|bestätigen
act|betreten
invite|einladen
reset-password|neues Passwort geben
clone|kopieren
deactivate|abschalten
`),
)

/** Titles of modules whose key names no screen. */
const titles: Record<string, string> = Object.fromEntries(
  pairs(`
audit-logs|Protokoll
branded|Eigene Domain
storage|Speicher
webhooks|Webhooks
beta-applications|Bewerbungen
billing|Abrechnung
dashboard|Kennzahlen
email-logs|E-Mail-Protokoll
impersonation|Vertretung
module-subscriptions|Abonnements
modules|Modulkatalog
payment-gateways|Zahlungsanbieter
system-settings|Einstellungen der Plattform
tenants|Arbeitsbereiche
`),
)

/**
 * Returns the German name: `purchase-orders.update`, of the module “Bestellungen”, is “Bestellungen: ändern”. Undefined where a
 * word is missing.
 */
export function nameInGerman(permission: string, word: (english: string) => string | undefined): string | undefined {
  const dot = permission.indexOf('.')
  const key = permission.slice(0, dot)
  const words = key.replaceAll('-', ' ')
  const title = titles[key] ?? word(words.charAt(0).toUpperCase() + words.slice(1))
  const verb = verbs[permission.slice(dot + 1)]
  return title && verb && `${title}: ${verb}`
}

/** Descriptions of permissions. */
export const allowed: Sentence[] = pairs(`
Add attendance records|Anwesenheiten nachtragen
Change attendance records and the reasons|Anwesenheiten und Gründe ändern
See the audit log|Das Protokoll ansehen
See the workspace's own domain and what its DNS must say|Die eigene Domain ansehen, und was ihr DNS sagen muss
Claim, verify and remove the workspace's own domain|Die eigene Domain eintragen, prüfen und entfernen
Use communication templates: fill them in for a record and a phone|Textvorlagen verwenden: für einen Datensatz und eine Nummer ausfüllen
Change drafts, add notes, activate without a signature, expire and terminate|Entwürfe ändern, Notizen schreiben, ohne Unterschrift in Kraft setzen, ablaufen lassen und kündigen
Send and mail contracts, and make acceptance links|Verträge senden und mailen, Links zum Annehmen anlegen
Say that customers accepted contracts|Vermerken, dass Kunden Verträge angenommen haben
Make invoices of contracts|Aus Verträgen Rechnungen machen
Change drafts and add notes|Entwürfe ändern und Notizen schreiben
Issue credit notes|Gutschriften ausstellen
Apply credit notes to invoices, and take that back|Gutschriften mit Rechnungen verrechnen, und das zurücknehmen
See their own mailboxes, and templates|Eigene Postfächer ansehen, und Vorlagen
Write e-mails|E-Mails schreiben
Change, send, label and link e-mails|E-Mails ändern, senden, kennzeichnen und verknüpfen
Connect mailboxes of their own|Eigene Postfächer verbinden
Add templates, change and delete their own|Vorlagen anlegen, eigene ändern und löschen
Keep signatures of their own|Eigene Signaturen führen
Change employees and departments, and say which user an employee is|Mitarbeiter und Abteilungen ändern, und sagen, welcher Benutzer ein Mitarbeiter ist
Say that customers accepted or declined estimates, and expire them|Vermerken, dass Kunden Kostenvoranschläge angenommen oder abgelehnt haben, und sie ablaufen lassen
Approve expenses, mark them paid, reopen them|Ausgaben genehmigen, als bezahlt vermerken, wieder öffnen
Read e-invoices in; those without problems become draft expenses|E-Rechnungen einlesen; ohne Beanstandung werden sie zu Entwürfen von Ausgaben
Match incoming invoices, make expenses of them, reject or close them, add notes|Eingangsrechnungen zuordnen, Ausgaben daraus machen, sie ablehnen oder schließen, Notizen schreiben
See stock, its movements and transfers|Bestand, Bewegungen und Umlagerungen ansehen
Correct stock by hand|Bestand von Hand berichtigen
Move stock between warehouses|Bestand zwischen Lagern umlagern
Change drafts, add notes, stop series|Entwürfe ändern, Notizen schreiben, Serien beenden
Send and mail invoices to customers|Rechnungen an Kunden senden und mailen
Say when customers are reminded of what they owe|Einstellen, wann Kunden an Offenes erinnert werden
Convert leads|Leads umwandeln
Manage the webhooks and the social ads by which leads arrive|Webhooks und Anzeigen verwalten, über die Leads kommen
Post payments, and pay invoices by them|Zahlungen buchen und damit Rechnungen bezahlen
Describe payments, add notes, pay invoices by what is left of them|Zahlungen beschreiben, Notizen schreiben, mit ihrem Rest Rechnungen bezahlen
Read bank statements in, and post payments by what they tell|Kontoauszüge einlesen und danach Zahlungen buchen
Say how customers may pay: the bank account, the keys of a payment provider|Einstellen, wie Kunden zahlen: das Bankkonto, die Schlüssel eines Zahlungsdienstes
Give projects to somebody, choose their members, and see those of everybody|Projekte zuweisen, ihre Mitglieder wählen, und die von allen ansehen
Send and mail purchase orders to vendors|Bestellungen an Lieferanten senden und mailen
Receive what was ordered|Bestelltes als eingegangen buchen
Cancel purchase orders|Bestellungen stornieren
Send and mail quotations, and make acceptance links|Angebote senden und mailen, Links zum Annehmen anlegen
Say that customers accepted or rejected quotations, and expire them|Vermerken, dass Kunden Angebote angenommen oder abgelehnt haben, und sie ablaufen lassen
See roles and what they allow|Rollen ansehen, und was sie erlauben
Manage service accounts and their API keys|Dienstkonten und ihre API-Schlüssel verwalten
See who clicked: the click log and the analytics of short links|Sehen, wer geklickt hat: Klicks und Auswertung der Kurzlinks
See how much storage the workspace uses|Sehen, wie viel Speicher belegt ist
Change users and verify their addresses|Benutzer ändern und ihre Adressen bestätigen
Suspend users and lift suspensions|Benutzer sperren und Sperren aufheben
Work as another user for an hour|Eine Stunde lang als ein anderer Benutzer arbeiten
Manage webhook endpoints, and see what was delivered|Webhook-Endpunkte verwalten, und sehen, was zugestellt wurde
See who applied for the beta|Sehen, wer sich für die Beta bewirbt
See an application|Eine Bewerbung ansehen
Judge applications and invite|Bewerbungen beurteilen und einladen
Manage payment gateways|Zahlungsanbieter verwalten
See the platform’s figures|Die Kennzahlen der Plattform ansehen
See the e-mail log|Das E-Mail-Protokoll ansehen
Read a logged mail|Eine protokollierte Mail lesen
Send a logged mail again|Eine protokollierte Mail erneut senden
Work in a workspace as its owner|In einem Arbeitsbereich als Inhaber arbeiten
End anybody’s impersonation|Jede Vertretung beenden
See who worked in a workspace as its owner|Sehen, wer in einem Arbeitsbereich als Inhaber gearbeitet hat
See an invoice|Eine Rechnung ansehen
Install modules in workspaces|Module in Arbeitsbereichen installieren
See a subscription|Ein Abonnement ansehen
Change and cancel subscriptions|Abonnements ändern und kündigen
Deactivate modules of workspaces|Module von Arbeitsbereichen abschalten
See the module catalogue|Den Modulkatalog ansehen
Add catalogue entries|Einträge im Katalog anlegen
See a catalogue entry|Einen Eintrag im Katalog ansehen
Change catalogue entries|Einträge im Katalog ändern
Delete catalogue entries|Einträge im Katalog löschen
Restore catalogue entries|Einträge im Katalog wiederherstellen
Delete catalogue entries for good|Einträge im Katalog endgültig löschen
See how a payment gateway is set up, and its logs|Sehen, wie ein Zahlungsanbieter eingerichtet ist, und seine Protokolle
Set up payment gateways|Zahlungsanbieter einrichten
See a payment|Eine Zahlung ansehen
See the platform’s roles and the matrix of permissions|Die Rollen der Plattform und die Rechtematrix ansehen
See a role|Eine Rolle ansehen
Copy roles|Rollen kopieren
Manage service accounts of the platform and their API keys|Dienstkonten der Plattform und ihre API-Schlüssel verwalten
See the platform's settings|Die Einstellungen der Plattform ansehen
Change the platform's settings, and send a test mail|Die Einstellungen der Plattform ändern, und eine Testmail senden
Make workspaces|Arbeitsbereiche anlegen
See a workspace, its modules and its audit log|Einen Arbeitsbereich ansehen, seine Module und sein Protokoll
Archive workspaces and open them again|Arbeitsbereiche archivieren und wieder öffnen
Verify an owner's address|Die Adresse eines Inhabers bestätigen
Work in workspaces by X-Workspace, with API keys or in person|In Arbeitsbereichen über X-Workspace arbeiten, mit API-Schlüssel oder selbst
See the people of the platform|Die Personen der Plattform ansehen
See somebody, and what they did|Eine Person ansehen, und was sie getan hat
Change people and their roles, and vouch for their addresses|Personen und ihre Rollen ändern, und für ihre Adressen bürgen
Suspend people|Personen sperren
Lift suspensions|Sperren aufheben
Invite people|Personen einladen
Give people another password|Personen ein neues Passwort geben
Manage webhook endpoints of the platform, and see what was delivered|Webhook-Endpunkte der Plattform verwalten, und sehen, was zugestellt wurde
Give {=them} to somebody, and see those of everybody|{=them} zuweisen, und die von allen ansehen
See everybody’s {=them} and assign them|{=them} zuweisen, und die von allen ansehen
Convert {=them} to {=others}|{=them} in {=others} umwandeln
Send and mail {=them}|{=them} senden und mailen
Restore deleted {=them}|Gelöschte {=them} wiederherstellen
Delete {=them} for good|{=them} endgültig löschen
Delete {=them}|{=them} löschen
Change {=them}|{=them} ändern
Export {=them}|{=them} exportieren
Import {=them}|{=them} importieren
Void {=them}|{=them} stornieren
Add {=them}|{=them} anlegen
See {=them}|{=them} ansehen
`).map(sentenceOf)
