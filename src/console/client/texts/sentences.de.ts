/**
 * Sentences of the API in German, by the English ones: why something can't be done, what was done, what happened to a record. Braces stand for
 * whatever is there: `{=…}` for words that have a German name (one, or several with commas), others for what is people's own. What isn't here
 * stays as it is.
 */
export const sentences: [english: string, german: string][] = `
It is not possible to {move} {noun} that is {=state}. Nothing can follow.|Im Stand „{=state}“ nicht möglich; es kann nichts mehr folgen.
It is not possible to {move} {noun} that is {=state}. Possible now: {=moves}.|Im Stand „{=state}“ nicht möglich. Jetzt möglich: {=moves}.
{noun} cannot go back to {=state}.|Zurück auf „{=state}“ geht es nicht.
Only draft {noun} can be edited.|Nur Entwürfe lassen sich bearbeiten.
Only draft transfers can be deleted. Cancel this one.|Nur Entwürfe lassen sich löschen; diese Umlagerung lässt sich stornieren.
Only received invoices can be changed; this one is {=state}.|Nur eingegangene Rechnungen lassen sich ändern; diese ist: {=state}.
Only an unpaid invoice is paid by a link; this one is {=state}.|Nur eine offene Rechnung wird über einen Link bezahlt; diese ist: {=state}.
Only {states} {noun} become invoices; this one is {=state}.|Im Stand „{=state}“ wird daraus keine Rechnung.
Payments or credits were applied to {number}; void or unapply them before deleting it.|Zu {number} sind Zahlungen oder Gutschriften verrechnet; vor dem Löschen sind sie zu stornieren oder zu lösen.
Payments or credits were applied to {number}; void or unapply them before voiding it.|Zu {number} sind Zahlungen oder Gutschriften verrechnet; vor dem Stornieren sind sie zu stornieren oder zu lösen.
{number} is not the first invoice of an active series.|{number} ist nicht die erste Rechnung einer laufenden Serie.
{number} is applied to invoices; unapply it before voiding it.|{number} ist mit Rechnungen verrechnet; das ist vor dem Stornieren zu lösen.
{number} was already converted to an invoice.|{number} wurde schon zur Rechnung.
{number} was already converted to an expense.|{number} wurde schon zur Ausgabe.
Void the credit note before deleting it.|Vor dem Löschen ist die Gutschrift zu stornieren.
Void the payment before deleting it.|Vor dem Löschen ist die Zahlung zu stornieren.
Nothing is left to pay of this invoice.|Von dieser Rechnung ist nichts mehr offen.
Customers are reminded of unpaid invoices only, on which something is left to pay.|Erinnert wird nur an offene Rechnungen.
No way to pay is switched on: set up a bank account or Stripe in /payment-methods first.|Noch ist kein Zahlungsweg eingerichtet: zuerst unter „Zahlungsarten“ ein Bankkonto oder Stripe eintragen.
The contract names no value to invoice.|Der Vertrag nennt keinen Wert, der zu berechnen wäre.
This lead is converted already.|Aus diesem Lead ist schon ein Kontakt geworden.
A {=state} purchase order cannot be converted; it must have been sent.|Im Stand „{=state}“ nicht möglich: die Bestellung muss versendet sein.
The last day of this {noun} is over.|Der letzte Tag ist vorbei.
This {noun} is {=state}; only one that was sent can be accepted by a link.|Im Stand „{=state}“ nicht möglich: nur Versendetes lässt sich über einen Link annehmen.
The {module} module is not available for this workspace.|Das Modul {module} steht hier nicht zur Verfügung.
It became an expense, and is the voucher of that.|Daraus wurde eine Ausgabe, deren Beleg es ist.
This user is an employee already.|Diese Person ist schon Mitarbeiter.
This user has accepted the invitation already.|Die Einladung ist schon angenommen.
The owner can't be {deed}.|Mit der Inhaberin oder dem Inhaber geht das nicht.
You can't be {deed} by yourself.|Mit sich selbst geht das nicht.
Created|Angelegt
Changed|Geändert
Changed {=fields}|Geändert: {=fields}
Assigned to {name}|Zugewiesen an {name}
Unassigned|Niemandem mehr zugewiesen
Status changed from {=from} to {=to}|Stand: {=from} → {=to}
Stage changed from {from} to {to}|Phase: {from} → {to}
Note added|Notiz hinzugefügt
Deleted|Gelöscht
Restored|Wiederhergestellt
Voided|Storniert
Mailed to {to}|Per E-Mail an {to}
Reminded {to}|Erinnert: {to}
Not reminded: the customer has no e-mail address|Nicht erinnert: es ist keine E-Mail-Adresse bekannt
Reminders paused|Erinnerungen angehalten
Reminders resumed|Erinnerungen fortgesetzt
Converted to invoice {id}|Wurde zur Rechnung (Nr. {id})
Converted to expense {id}|Wurde zur Ausgabe (Nr. {id})
Became expense {id}|Wurde zur Ausgabe (Nr. {id})
Rejected: {reason}|Abgelehnt: {reason}
Applied {amount} to {number}|{amount} mit {number} verrechnet
Took {amount} back from {number}|{amount} von {number} gelöst
Series started, next on {day}|Serie begonnen, als Nächstes am {day}
Issued {number}|{number} ausgestellt
Checked in|Gekommen
Checked out|Gegangen
Follow-up planned: {title}|Wiedervorlage geplant: {title}
Follow-up changed: {title}|Wiedervorlage geändert: {title}
Follow-up rescheduled: {title}|Wiedervorlage verschoben: {title}
Follow-up completed: {title}|Wiedervorlage erledigt: {title}
{=noun} sent.|{=noun}: versendet.
{=noun} saved.|{=noun}: gesichert.
{=noun} created.|{=noun}: angelegt.
{=noun} updated.|{=noun}: geändert.
{=noun} deleted.|{=noun}: gelöscht.
{=noun} voided.|{=noun}: storniert.
{=noun} issued.|{=noun}: ausgestellt.
{=noun} drafted.|{=noun}: als Entwurf angelegt.
{=noun} converted.|{=noun}: umgewandelt.
{=noun} assigned.|{=noun}: zugewiesen.
{=noun} received.|{=noun}: eingegangen.
{=noun} rejected.|{=noun}: abgelehnt.
{=noun} restored.|{=noun}: wiederhergestellt.
{=noun} suspended.|{=noun}: gesperrt.
Status changed.|Stand geändert.
`
  .trim()
  .split('\n')
  .map((line) => line.split('|') as [string, string])
