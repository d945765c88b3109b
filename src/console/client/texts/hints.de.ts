/**
 * German hints of the API's fields and actions, by the English text without backticks. test/console.test.ts checks that none is
 * missing.
 */
export const hints: Record<string, string> = Object.fromEntries(
  `
The platform’s, and that of new workspaces.|Die der Plattform und neuer Arbeitsbereiche.
A file of leads is brought in step by step: a new import asks for the file, and then what its columns mean.|Eine Datei mit Leads kommt Schritt für Schritt herein: Ein neuer Import fragt nach der Datei und dann, was ihre Spalten bedeuten.
An import begins in the list of what it brings in: there, choose Import in the menu with the three dots.|Ein Import beginnt in der Liste dessen, was er bringt: dort im Menü mit den drei Punkten „Importieren“ wählen.
Of new workspaces.|Die neuer Arbeitsbereiche.
Mapping by which a CSV file is read.|Zuordnung, nach der eine CSV-Datei gelesen wird.
Encoding of the file; auto: UTF-8 where it is that, else Windows-1252.|Zeichensatz der Datei; nach der Datei: UTF-8, wenn sie das ist, sonst Windows-1252.
Character between the columns.|Zeichen zwischen den Spalten.
Row with the names of the columns, from 1; 0: there is none.|Zeile mit den Namen der Spalten, ab 1; 0: es gibt keine.
Sign before the decimals of amounts; the other one groups thousands.|Zeichen vor den Nachkommastellen; das andere trennt Tausender.
Order of day, month and year.|Reihenfolge von Tag, Monat und Jahr.
The account of the files: its IBAN, or another number; null: a column has it.|Das Konto der Dateien: IBAN oder andere Nummer; ohne Angabe steht es in einer Spalte.
Currency of the account; null: a column has it, or it is the workspace’s.|Währung des Kontos; ohne Angabe steht sie in einer Spalte oder ist die des Arbeitsbereichs.
Column with the day on which the bank booked it.|Spalte mit dem Tag, an dem die Bank gebucht hat.
Column with the day from which it counts for interest.|Spalte mit dem Tag der Wertstellung.
Column with the amount, below 0 for what went out.|Spalte mit dem Betrag, unter 0 für Ausgänge.
Column that says whether an amount came in or went out: S or H, D or C, Af or Bij.|Spalte, die Eingang oder Ausgang nennt: S oder H, D oder C, Af oder Bij.
Column with what went out, where it isn’t in the one of amounts.|Spalte mit Ausgängen, wenn sie nicht in der für Beträge stehen.
Column with what came in, where it isn’t in the one of amounts.|Spalte mit Eingängen, wenn sie nicht in der für Beträge stehen.
Column with the currency.|Spalte mit der Währung.
Column with the account, where the files have several.|Spalte mit dem Konto, wenn die Dateien mehrere haben.
Column with who paid, or was paid.|Spalte mit der Gegenpartei.
Column with their account.|Spalte mit dem Konto der Gegenpartei.
Column with what the payer wrote.|Spalte mit dem Verwendungszweck.
Column with further text.|Spalte mit weiterem Text.
Column with what the payer calls the payment.|Spalte mit der Referenz der zahlenden Seite.
Column with what the bank calls it.|Spalte mit der Referenz der Bank.
Reads a CSV file by the mapping and answers what would come of it. Nothing is stored.|Liest eine CSV-Datei nach der Zuordnung und zeigt, was daraus würde. Gespeichert wird nichts.
As it stands on invoices.|Wie es auf Rechnungen steht.
By it SES tells what became of mails.|Über ihn meldet SES, was aus Mails wurde.
Unset: the server of SMTP_URL in the environment; where there is none, mails stay in the log.|Ohne Angabe der Server aus SMTP_URL der Umgebung; gibt es keinen, bleiben Mails im Protokoll.
One that is no letter and no digit.|Eines, das weder Buchstabe noch Ziffer ist.
Prorate: charged and credited by days; none: not at all.|Anteilig: nach Tagen berechnet und gutgeschrieben; Keine: gar nicht.
For customers without one of their own, whatever the locale is.|Für Kunden ohne eigene Sprache, was auch immer bei Sprache und Region steht.
Replies to mailed documents go there.|Antworten auf gemailte Dokumente gehen dorthin.
A day ahead at most. Empty, or in the past: it may not. You get a mail of each change.|Höchstens einen Tag im Voraus. Leer oder vergangen: gar nicht. Jede Änderung wird Ihnen gemailt.
On each line, or once per rate on the document.|Je Zeile oder einmal je Satz auf dem Dokument.
Place of the line, the smallest first. Unless sent: in the order in which they are sent.|Reihenfolge der Zeile.
Id of the product that the line is about; null: free text. Name and price are kept as they are sent, whatever becomes of the product.|Worum es in der Zeile geht. Name und Preis bleiben, wie sie hier stehen, was auch immer aus dem Produkt wird.
What the key may do of what its owner may: names of permissions. GET /api-keys/scopes lists those of one’s own.|Was der Schlüssel von dem darf, was seine Inhaberin oder sein Inhaber darf.
Types of event; none means all. invoice.* names all of a kind; GET /webhook-endpoints/types lists them.|Arten von Ereignissen; invoice.* steht für alle einer Art, keine Angabe für alle.
Networks from which it is good, as CIDR; none: from anywhere.|Netze, aus denen er gilt, etwa 192.0.2.0/24; ohne Angabe von überall.
Unit of the quantity, by UN/ECE Recommendation 20: C62 piece, HUR hour, DAY day, KGM kilogram, MTR metre.|Einheit nach UN/ECE Rec. 20: C62 Stück, HUR Stunde, DAY Tag, KGM Kilogramm, MTR Meter.
Why the line is taxed as it is (UNCL 5305): S standard, Z zero rate, E exempt, AE reverse charge, K intra-Community supply, G export, O outside the scope of tax. Null: S where there is a rate; without one an e-invoice can’t be made.|Warum so besteuert wird: S Regelsatz, Z Nullsatz, E befreit, AE Steuerschuld des Empfängers, K innergemeinschaftliche Lieferung, G Ausfuhr, O nicht steuerbar.
Why no tax is charged, in words; AE, K, G and O have words of their own where it is null.|Warum keine Steuer berechnet wird; AE, K, G und O bringen eigene Worte mit.
Who gets it. Unless sent: the address of whom the document is for.|Wer die Mail bekommt. Ohne Angabe die Adresse dessen, für den das Dokument ist.
Whether its PDF comes along.|Ob das PDF angehängt wird.
Subject line of the mail.|Betreff der Mail.
Text of the mail, above the link to the document.|Text der Mail, über dem Link zum Dokument.
What is to be done.|Was zu tun ist.
When it is to be done. Sent without a zone it is meant by the workspace’s clock; replies have it in UTC.|Wann es zu tun ist, nach der Uhr des Arbeitsbereichs.
For how many hours the former secret goes on working.|Wie viele Stunden das bisherige Geheimnis noch gilt.
Language of the documents, mails and pages that they get; null: as the workspace has it.|Sprache der Dokumente, Mails und Seiten; ohne Angabe die des Arbeitsbereichs.
Up to two languages that their documents are written in at once, the first one above; none: language alone.|Bis zu zwei Sprachen, in denen Dokumente zugleich geschrieben sind, die erste oben.
Street and number, as e-invoices say them.|Straße und Hausnummer, wie E-Rechnungen sie nennen.
Postcode of that address.|Postleitzahl dieser Anschrift.
Town of that address.|Ort dieser Anschrift.
Country of that address, by ISO 3166-1.|Land dieser Anschrift, etwa DE.
VAT identification number, with its country before it.|USt-IdNr., mit dem Land davor.
Where e-invoices reach them: an e-mail address, or the scheme (EAS) and the id by which a network knows them. Unless set, it is the e-mail address.|Wohin E-Rechnungen gehen: eine E-Mail-Adresse, oder Schema (EAS) und Kennung eines Netzes. Ohne Angabe die E-Mail-Adresse.
What invoices to them say for their accounts, unless an invoice says otherwise: in Germany the Leitweg-ID.|Was Rechnungen für die Buchhaltung des Kunden nennen, in Deutschland die Leitweg-ID.
Whether they are never reminded of invoices by a reminder plan.|Ob nie nach einem Plan an Rechnungen erinnert wird.
Day of the delivery; null: the period says it, or it is the day of issue.|Tag der Lieferung; ohne Angabe sagt es der Zeitraum, oder es ist der Rechnungstag.
First day of what is charged for; null: none.|Erster Tag dessen, was berechnet wird.
Last day of what is charged for; null: none.|Letzter Tag dessen, was berechnet wird.
What the buyer wants to read on it, such as a Leitweg-ID; null: what is set for the customer.|Was der Käufer darauf lesen will, etwa eine Leitweg-ID; ohne Angabe die des Kunden.
Number of the buyer’s order; null: none.|Bestellnummer des Käufers.
The mailbox’s own address.|Die eigene Adresse des Postfachs.
Password or app password for the IMAP server. It is encrypted and never answered.|Passwort oder App-Passwort des IMAP-Servers. Es wird verschlüsselt und nie wieder gezeigt.
Password or app password for the SMTP server. It is encrypted and never answered.|Passwort oder App-Passwort des SMTP-Servers. Es wird verschlüsselt und nie wieder gezeigt.
How often the mailbox is looked after, in minutes, beside what its server announces.|Wie oft nach dem Postfach gesehen wird, in Minuten, neben dem, was sein Server meldet.
How likely it is won, in percent; null: nobody said.|Wie wahrscheinlich der Abschluss ist, in Prozent.
Day on which a decision is expected.|Tag, an dem eine Entscheidung erwartet wird.
Id of the stage of the pipeline. Unless sent: the first one.|Phase der Pipeline; ohne Angabe die erste.
Id of the employee who has it; null: nobody.|Wer es hat; ohne Angabe niemand.
Whether it is a reason for a late check-in or for a check-out.|Ob es ein Grund für ein verspätetes Kommen oder für ein Gehen ist.
Day of work, in the calendar of the workspace. One record for each employee and day.|Arbeitstag. Für jede Person und jeden Tag ein Eintrag.
When work began, by the workspace’s clock; null: unknown.|Wann die Arbeit begann, nach der Uhr des Arbeitsbereichs.
When work ended, by the workspace’s clock; null: not yet.|Wann die Arbeit endete, nach der Uhr des Arbeitsbereichs.
What the day counts as. A check-in after the threshold makes it late.|Als was der Tag zählt. Ein Kommen nach der Schwelle macht ihn verspätet.
The kind of record that the template is about. It decides which placeholders there are.|Wovon die Vorlage handelt. Danach richten sich die Platzhalter.
How the text is meant to be sent.|Wie der Text verschickt werden soll.
The text, with placeholders as {{lead.name}}. Unknown ones are a 422.|Der Text, mit Platzhaltern wie {{lead.name}}.
Id of the issued invoice that it corrects, of the same customer and currency; null: none. What a new credit note is not sent with, it takes over from it: customer, currency, delivery; without lines, all of its lines.|Die Rechnung, die sie berichtigt, von demselben Kunden und in derselben Währung. Was hier nicht angegeben wird, übernimmt sie von dort.
Free word by which templates are grouped; null: none.|Ein Wort, nach dem Vorlagen zusammenstehen.
Subject line, with placeholders as {{name}}.|Betreff, mit Platzhaltern wie {{name}}.
Text as HTML, with placeholders as {{name}}.|Text als HTML, mit Platzhaltern wie {{name}}.
Names of the placeholders that it has.|Namen der Platzhalter.
Whether all users of the workspace may use it; false: only whoever made it.|Ob alle im Arbeitsbereich sie verwenden dürfen, oder nur, wer sie gemacht hat.
The signature as HTML; null: none.|Die Signatur als HTML.
The signature as plain text; null: none.|Die Signatur als einfacher Text.
Uuid of the mailbox that it is for; null: all.|Postfach, für das sie ist; ohne Angabe alle.
Whether new messages get it.|Ob neue Nachrichten sie bekommen.
Ids of the users who manage the department.|Wer die Abteilung leitet.
Whole name. Sent without its parts it is split at the first space.|Ganzer Name. Ohne seine Teile wird er am ersten Leerzeichen geteilt.
Id of the user who the employee is; null: they don’t sign in.|Als wer sich die Person anmeldet; ohne Angabe gar nicht.
How they are employed.|Art der Beschäftigung.
An inactive employee can’t check in and is not offered for new records.|Inaktive buchen kein Kommen und werden für Neues nicht angeboten.
Day on which the money was spent. Unless sent: today, in the workspace’s calendar.|Tag der Ausgabe; ohne Angabe heute.
Id of the warehouse that the goods leave.|Lager, aus dem die Ware geht.
Id of the warehouse that they go to; another one.|Lager, in das sie geht; ein anderes.
Id of the quotation that it was made of; null: none.|Angebot, aus dem sie wurde.
Id of the reseller who brought the customer; null: none.|Partner, der den Kunden gebracht hat.
Whether it is the root of a series, of which further invoices are made.|Ob es der Anfang einer Serie ist, aus der weitere Rechnungen werden.
Whether customers are reminded by it. Of a workspace’s plans one is active at most.|Ob nach ihm erinnert wird. Höchstens ein Plan ist aktiv.
The reminders, each sent once for an invoice.|Die Erinnerungen, jede für eine Rechnung einmal.
Days behind the day on which an invoice is due; below 0: before it.|Tage nach der Fälligkeit; unter 0 davor.
Subject of the mail, which may say {number}, {title}, {amount} and {due}; null: as the texts of documents have it, in the customer’s language.|Betreff der Mail; darin dürfen {number}, {title}, {amount} und {due} stehen. Ohne Angabe wie in den Dokumenttexten, in der Sprache des Kunden.
Text of the mail, which may say {number}, {title}, {amount} and {due}; null: as the texts of documents have it, in the customer’s language.|Text der Mail; darin dürfen {number}, {title}, {amount} und {due} stehen. Ohne Angabe wie in den Dokumenttexten, in der Sprache des Kunden.
What this step costs the customer, in the workspace’s currency: the mail says it beside what is due, and invoices in other currencies have none. The invoice stays as it is. null: nothing.|Was diese Stufe den Kunden kostet, in der Währung des Arbeitsbereichs. Die Mail nennt es neben dem Betrag; die Rechnung bleibt, wie sie ist.
What the tag does when a lead gets it: nothing, plan a follow-up by itself, or ask for one.|Was der Tag bewirkt, wenn ein Lead ihn bekommt: nichts, selbst eine Wiedervorlage planen, oder nach einer fragen.
A person, or a company with a person to talk to. It decides which system tag the lead has.|Eine Person, oder eine Firma mit Ansprechperson. Danach richtet sich der Tag des Systems.
What their firm is called; a company is made of it when the lead is converted.|Name der Firma; beim Umwandeln wird eine daraus.
Where the lead came from, in a word.|Woher der Lead kam, in einem Wort.
What the deal might be worth, in the workspace’s currency; null: unknown.|Was das Geschäft wert sein könnte, in der Währung des Arbeitsbereichs.
How soon somebody should look after it.|Wie bald sich jemand darum kümmern sollte.
What is being done about it, apart from the stage of the pipeline.|Was damit geschieht, neben der Phase der Pipeline.
A stage of the pipeline. The first one where none is named.|Phase der Pipeline; ohne Angabe die erste.
Ids of its tags. Unless sent: the default ones. System tags are kept up by the service.|Seine Tags; ohne Angabe die üblichen. Tags des Systems führt der Dienst selbst.
A first follow-up to plan with it.|Eine erste Wiedervorlage.
true shares its leads out to the users who receive website leads.|Ob seine Leads unter denen verteilt werden, die Leads der Website bekommen.
Id of the stage that its leads begin in; null: the first one.|Phase, in der seine Leads beginnen; ohne Angabe die erste.
What their source says where the caller sends none.|Was als Quelle dasteht, wo keine mitgeschickt wird.
Which field of a lead a key of the caller’s JSON is: {"e-mail": "email"}. Others keep their own names.|Welches Feld eines Leads ein Schlüssel des JSON ist: {"e-mail": "email"}. Andere behalten ihre Namen.
How the money came.|Wie das Geld kam.
When the money came. A day alone is meant at its beginning, by the workspace’s clock. Unless sent: now.|Wann das Geld kam; ohne Angabe jetzt.
Ids of the users who work on it beside the assignee. Sent with a change, they replace all.|Wer neben der zuständigen Person daran arbeitet.
Id of the vendor that it goes to.|Lieferant, an den sie geht.
Names of what the role lets its users do. GET /permissions lists them all.|Was die Rolle erlaubt.
Key of the screen whose list it is (as GET /console has it).|Liste, von der es eine Ansicht ist.
What it is called.|Wie es heißt.
Whether it is a list or a board.|Ob es eine Liste oder eine Tafel ist.
Fields that stand in the list; none: the usual ones.|Spalten der Liste; ohne Angabe die üblichen.
Parameters of the list, by their names.|Filter der Liste, nach ihren Namen.
What it is sorted by; null: as the list is.|Wonach sortiert wird; ohne Angabe wie die Liste.
Which way it is sorted; null: as the list is.|In welcher Richtung sortiert wird; ohne Angabe wie die Liste.
Whether everybody of the workspace has it; false: only whoever made it.|Ob alle im Arbeitsbereich sie haben, oder nur, wer sie gemacht hat.
Where the link leads: an http(s) address. The UTM parameters are appended when it is followed.|Wohin der Link führt. Die UTM-Parameter werden angehängt, wenn ihm jemand folgt.
A paused link leads nowhere until it is active again (it answers a 404 page).|Ein angehaltener Link führt nirgendwohin, bis er wieder aktiv ist.
From when on the link answers a 404 page; null: never. A time without zone is meant by the workspace’s clock.|Ab wann der Link nirgendwohin mehr führt; ohne Angabe nie. Nach der Uhr des Arbeitsbereichs.
Appended to the destination as utm_source, for the analytics of the site behind it; null: nothing is.|Wird dem Ziel als utm_source angehängt, für die Auswertung der Website dahinter.
Appended to the destination as utm_medium, for the analytics of the site behind it; null: nothing is.|Wird dem Ziel als utm_medium angehängt, für die Auswertung der Website dahinter.
Appended to the destination as utm_campaign, for the analytics of the site behind it; null: nothing is.|Wird dem Ziel als utm_campaign angehängt, für die Auswertung der Website dahinter.
Appended to the destination as utm_term, for the analytics of the site behind it; null: nothing is.|Wird dem Ziel als utm_term angehängt, für die Auswertung der Website dahinter.
Appended to the destination as utm_content, for the analytics of the site behind it; null: nothing is.|Wird dem Ziel als utm_content angehängt, für die Auswertung der Website dahinter.
Id of the project that it belongs to, one that the caller sees; null: none.|Projekt, zu dem es gehört.
From when on, inclusive.|Ab wann, dieser Zeitpunkt eingeschlossen.
Until when.|Bis wann.
Whether there is code for it: planned modules can’t be installed.|Ob es schon gebaut ist: geplante Module lassen sich nicht installieren.
Only published modules are on sale.|Nur veröffentlichte Module werden verkauft.
Ids of what the role lets its users do. GET /roles/permissions-matrix lists them all.|Was die Rolle erlaubt.
A suspended workspace is closed to its users (403 WORKSPACE_SUSPENDED).|Ein gesperrter Arbeitsbereich ist für seine Leute geschlossen.
How many bytes of files it may store.|Wie viele Bytes an Dateien er speichern darf.
Why the record was made or changed by hand; it stands in its timeline.|Warum von Hand angelegt oder geändert wurde; es steht im Verlauf.
Id of a record of the template’s context, one that the caller may see. Unless sent: samples.|Ein Datensatz, von dem die Vorlage handelt; ohne Angabe Beispiele.
What to put in place of the placeholders, by their names.|Was an die Stelle der Platzhalter tritt, nach ihren Namen.
A received message of the caller’s own mailboxes, in place of a file (with email_attachment_id).|An Stelle einer Datei: eine empfangene Nachricht aus einem eigenen Postfach.
The attachment of that message, by its id.|Der Anhang dieser Nachricht.
Why it isn’t accepted; for whoever tells the seller.|Warum sie nicht angenommen wird; für alle, die es dem Verkäufer sagen.
Booked in, booked out, or set to what was counted.|Zugang, Abgang, oder auf das Gezählte gesetzt.
true also voids the latest invoice of the series, where nothing was paid or credited on it.|Ob auch die letzte Rechnung der Serie storniert wird, sofern darauf nichts bezahlt oder gutgeschrieben wurde.
Subject line of the mail, which may say {number}, {title}, {amount} and {due}. Unless sent: as the plan’s step has it, or the texts of documents.|Betreff der Mail; darin dürfen {number}, {title}, {amount} und {due} stehen. Ohne Angabe wie im Plan oder in den Dokumenttexten.
Text of the mail, which may say {number}, {title}, {amount} and {due}. Unless sent: as the plan’s step has it, or the texts of documents.|Text der Mail; darin dürfen {number}, {title}, {amount} und {due} stehen. Ohne Angabe wie im Plan oder in den Dokumenttexten.
Ids of the tags in their new order.|Die Tags in ihrer neuen Reihenfolge.
By which fields rows are found to be duplicates, of each other and of leads.|Woran Zeilen als doppelt erkannt werden, untereinander und unter den Leads.
What is done with a duplicate: skipped, updated, or kept as another lead.|Was mit Doppelten geschieht: übergehen, den vorhandenen ändern, oder als weiteren Lead behalten.
Whether new leads are nobody’s in particular or shared out equally among the importer’s departments.|Ob neue Leads niemandem zugewiesen oder gleichmäßig in den eigenen Abteilungen verteilt werden.
Which records the rows are: the path of their list, without its first slash.|Welche Datensätze die Zeilen sind: der Pfad ihrer Liste, ohne den ersten Schrägstrich.
What the template is called.|Wie die Vorlage heißt.
Column header by field.|Spaltenkopf je Feld.
Name of the sheet that is read; null: the first one with a table.|Name des Tabellenblatts, das gelesen wird; leer: das erste mit einer Tabelle.
Number of the row with the headers; null: it is recognised.|Nummer der Zeile mit den Spaltenköpfen; leer: Sie wird erkannt.
Sign between the whole part and the decimals of numbers in texts.|Zeichen vor den Nachkommastellen von Zahlen in Texten.
Sign between the thousands of numbers in texts; null: there is none.|Zeichen zwischen den Tausendern von Zahlen in Texten; leer: Es gibt keines.
Order of day, month and year in texts such as 03/12/2026; null: they are errors of their rows. With points, a text begins with the day; one that begins with a year is read so.|Reihenfolge von Tag, Monat und Jahr in Texten wie 03/12/2026; leer: Sie sind Fehler ihrer Zeilen. Mit Punkten beginnt ein Text mit dem Tag; beginnt er mit einem Jahr, wird er so gelesen.
A note to write on the lead.|Eine Notiz zum Lead.
true also makes an opportunity (of opportunity).|Ob auch eine Verkaufschance angelegt wird.
The opportunity to make; name is required then.|Die Verkaufschance; sie braucht einen Namen.
Ids of all tags that it is to have; system tags are kept up by the service.|Alle Tags, die er haben soll; Tags des Systems führt der Dienst selbst.
A follow-up to plan, which a tag may ask for.|Eine Wiedervorlage, nach der ein Tag fragen kann.
What their source says; null: the platform’s name.|Was als Quelle dasteht; ohne Angabe der Name der Plattform.
Ids of the pages, as the ad platform calls them.|Die Seiten, wie die Werbeplattform sie nennt.
Those to change.|Was geändert werden soll.
The type of notification.|Art der Benachrichtigung.
Whether devices are told too.|Ob auch Geräte benachrichtigt werden.
Whether a mail is sent too.|Ob auch eine Mail geschickt wird.
Which invoices it pays, each by how much; never more in all than there is.|Welche Rechnungen bezahlt werden, und mit wie viel; zusammen nie mehr, als da ist.
Which invoices it pays, each by how much.|Welche Rechnungen bezahlt werden, und mit wie viel.
Which invoices it pays, each by how much. Unless sent: those that it pays for certain. []: none yet.|Welche Rechnungen bezahlt werden, und mit wie viel; ohne Angabe die, bei denen es sicher ist.
A payment that was posted by hand for the same money, instead of a new one.|Eine Zahlung, die für dasselbe Geld schon von Hand gebucht wurde.
Whether all came, or only a part.|Ob alles kam oder nur ein Teil.
Id of the warehouse that the goods go to. Unless sent: the default one.|Lager, in das die Ware geht; ohne Angabe das Standardlager.
Unless false, where Employees is installed (and employee_id names nobody).|Ob auch jemand unter den Mitarbeitenden angelegt wird, sofern noch niemand angegeben ist.
At once, instead of at the end of the period.|Sofort, statt am Ende des Zeitraums.
Whose credentials these are. Default: the mode at hand.|Wozu die Zugangsdaten gehören; ohne Angabe zum jetzigen Modus.
Those that are sent are changed; null removes one.|Geändert wird, was angegeben ist.
The sandbox or live money.|Test oder echtes Geld.
The modules and their prices at the provider.|Die Module und ihre Preise beim Anbieter.
Name of the first user, who owns the workspace. Unless sent: the name of the company.|Name der ersten Person, der der Arbeitsbereich gehört; ohne Angabe der Name der Firma.
Address of the owner. Without owner_password an invitation is mailed to it.|Adresse der Inhaberin oder des Inhabers. Ohne Passwort wird dorthin eine Einladung gemailt.
Password of the owner; without one they choose it by the mailed invitation.|Passwort; ohne Angabe wird es über die gemailte Einladung gewählt.
Why, as it was said at the beginning; the audit log has it.|Warum; es steht im Prüfprotokoll.
Gives the key another secret, told once; the former one works for overlap_hours more. Of several rotations in a row the last two former ones do, each for as long as was said; with 0 none does.|Gibt dem Schlüssel ein anderes Geheimnis, das einmal gezeigt wird; das bisherige gilt noch für die angegebenen Stunden. Nach mehreren Wechseln gelten die zwei zuletzt abgelösten, jedes so lange wie gesagt; mit 0 gilt keines mehr.
Deletes the leads that the import made, and puts back those that it changed, without the notes and follow-ups of its rows, within 30 days of its end. Leads that somebody has changed since, or that no longer may be changed so, are left alone: kept has these. The import itself stays as it is.|Löscht die Leads, die der Import angelegt hat, und stellt die wieder her, die er geändert hat, ohne die Notizen und Wiedervorlagen seiner Zeilen, innerhalb von 30 Tagen. Was seither geändert wurde, bleibt und wird genannt.
Moves the asset to another state. status says to which, and the rules are those of the routes that lead there: 422 where none does.|Setzt einen anderen Stand.
Notes that the caller comes to work now, by the workspace’s clock. Once a day by that clock: where its zone was changed meanwhile, another day is another record. Who is late may have to name a reason; grace ends with the day.|Bucht, dass Sie jetzt zur Arbeit kommen, nach der Uhr des Arbeitsbereichs. Wer verspätet ist, muss vielleicht einen Grund angeben.
Whether work ended on the day after date, as a shift over midnight does: within 24 hours.|Ob die Arbeit am Tag danach endete, wie bei einer Schicht über Mitternacht: innerhalb von 24 Stunden.
Net price of one unit, with up to six decimals. Below 0 for a return or a deduction, as long as no tax rate of the document comes to less than 0; e-invoices write such a line with a negative quantity.|Nettopreis einer Einheit, mit bis zu sechs Nachkommastellen. Unter 0 für eine Rückgabe oder einen Abzug, solange kein Steuersatz des Belegs unter 0 kommt; E-Rechnungen schreiben eine solche Zeile mit negativer Menge.
Whether the query of the address that a visitor follows is handed on to the destination. Parameters that the destination or the UTM fields have already stay as they are.|Ob die Parameter der aufgerufenen Adresse ans Ziel weitergegeben werden. Parameter, die das Ziel oder die UTM-Felder schon haben, bleiben, wie sie sind.
Minutes of all breaks together, which are no attendance.|Minuten aller Pausen zusammen; sie zählen nicht als Anwesenheit.
Notes that the caller leaves work now. It needs a check-in before it: of today, or the open one of yesterday where that is at most 16 hours ago, whose shift then ends on the next day. break_minutes of all breaks may be sent along.|Hält fest, dass man jetzt geht. Davor muss ein Kommen stehen: eines von heute, oder das offene von gestern, wenn es höchstens 16 Stunden her ist; dessen Schicht endet dann am nächsten Tag. Die Minuten aller Pausen können mitgeschickt werden.
Fills the template in, with samples or with the record of entity_id. Nothing is counted as used.|Füllt die Vorlage mit Beispielen oder mit einem Datensatz. Es zählt nicht als verwendet.
Fills the template in for a record and answers the text with a link that opens it in the chat app. The service itself sends nothing.|Füllt die Vorlage für einen Datensatz und gibt den Text mit einem Link, der ihn im Chat öffnet. Der Dienst selbst verschickt nichts.
Gives the company to a user, or with null to nobody, and writes that in its timeline.|Weist die Firma jemandem zu, oder niemandem, und schreibt das in ihren Verlauf.
Gives the contact to a user, or with null to nobody, and writes that in its timeline.|Weist den Kontakt jemandem zu, oder niemandem, und schreibt das in seinen Verlauf.
Gives the contract to a user, or with null to nobody, and writes that in its timeline.|Weist den Vertrag jemandem zu, oder niemandem, und schreibt das in seinen Verlauf.
Issues a draft to the customer: what it prints is frozen, and it can be signed by a link. It mails nothing; email does.|Stellt einen Entwurf aus: was er druckt, steht fest, und er lässt sich über einen Link unterschreiben. Gemailt wird nichts.
Makes a link by which whoever has it can read and accept the document, once. Earlier links stay good: twenty at most, then the oldest ends. The address is told once.|Macht einen Link, über den das Dokument einmal gelesen und angenommen werden kann. Frühere Links bleiben gültig: höchstens zwanzig, dann endet der älteste. Die Adresse wird einmal gezeigt.
Makes a sent contract active without a signature by link. Its open links end.|Macht einen versendeten Vertrag ohne Unterschrift über einen Link aktiv. Seine offenen Links enden.
Moves the contract to another state. status says to which, and the rules are those of the routes that lead there: 422 where none does.|Setzt einen anderen Stand.
Makes a draft invoice over the contract’s value, and answers the invoice. Once only: a second time is a 422.|Macht einen Rechnungsentwurf über den Wert des Vertrags. Nur einmal.
Mails the document, with its PDF unless told not to. It goes to the addresses in to, or to those of whom it is for. 422 on status for a draft.|Mailt das Dokument an die angegebenen Adressen, oder an die, für die es ist, mit PDF. Entwürfe werden nicht gemailt.
Issues a draft: its lines are fixed and frozen as printed, and its total can be applied to invoices.|Stellt einen Entwurf aus: seine Zeilen stehen fest, und sein Betrag lässt sich mit Rechnungen verrechnen.
Uses an amount of the credit note on an unpaid invoice of the same currency, and of the same customer where both name one. No more than is left of either.|Verrechnet einen Betrag der Gutschrift mit einer offenen Rechnung in derselben Währung, und desselben Kunden, wo beide einen nennen.
Takes back what was applied to an invoice, which is owed again.|Löst, was mit einer Rechnung verrechnet war; sie ist wieder offen.
Makes the credit note count for nothing. 422 on status while any of it is applied.|Die Gutschrift zählt nicht mehr. Nicht möglich, solange etwas davon verrechnet ist.
Reads the mailbox as soon as possible, whatever its interval.|Liest das Postfach so bald wie möglich.
Makes this the account that new messages are written from.|Neue Nachrichten werden künftig von diesem Postfach aus geschrieben.
Signs in at both servers with what is sent and answers whether that goes. Nothing is stored.|Meldet sich mit den Angaben bei beiden Servern an und sagt, ob das geht. Gespeichert wird nichts.
Fills the placeholders of a template in and answers subject and text. Nothing is sent.|Füllt die Platzhalter einer Vorlage und zeigt Betreff und Text. Verschickt wird nichts.
Gives the estimate to a user, or with null to nobody, and writes that in its timeline.|Weist den Kostenvoranschlag jemandem zu, oder niemandem, und schreibt das in seinen Verlauf.
Issues a draft to the customer: its lines are fixed and what it prints is frozen. It mails nothing; email does.|Stellt einen Entwurf aus: seine Zeilen und was er druckt, stehen fest. Gemailt wird nichts.
Notes that the customer accepted what was sent, otherwise than by a link. Open links end.|Hält fest, dass der Kunde auf anderem Weg als über einen Link angenommen hat. Offene Links enden.
Notes that the customer refused what was sent, and why. Open links end.|Hält fest, dass der Kunde abgelehnt hat, und warum. Offene Links enden.
Notes that what was sent is no longer valid. Open links end.|Hält fest, dass das Versendete nicht mehr gilt. Offene Links enden.
Makes a draft invoice of what was accepted, with its customer and lines, and answers the invoice. Once only: a second time is a 422.|Macht aus dem Angenommenen einen Rechnungsentwurf, mit Kunde und Zeilen. Nur einmal.
Gives the expense to a user, or with null to nobody, and writes that in its timeline.|Weist die Ausgabe jemandem zu, oder niemandem, und schreibt das in ihren Verlauf.
Moves the expense to another state. status says to which, and the rules are those of the routes that lead there: 422 where none does.|Setzt einen anderen Stand.
Deletes what the import created (what counts, as payments do, is voided before) and puts back what it changed, within 30 days, but for records that somebody has changed since or that no longer may be changed so. kept has these.|Löscht, was der Import angelegt hat, und stellt wieder her, was er geändert hat, innerhalb von 30 Tagen; was seither geändert wurde, bleibt und wird genannt.
Makes the draft expense of an invoice that waits, whatever problems it has. One that is for an order becomes the expense of the order, which asks for purchase-orders.convert.|Macht aus einer wartenden Rechnung den Entwurf einer Ausgabe, was auch immer an ihr zu bemängeln ist.
Refuses an invoice that waits, and says why. The seller may send another one of its number.|Lehnt eine wartende Rechnung ab und sagt, warum. Der Verkäufer kann eine andere mit derselben Nummer schicken.
Says that an invoice which waits is dealt with, without an expense: a credit note that was set off.|Eine wartende Rechnung ist erledigt, ohne Ausgabe: etwa eine verrechnete Gutschrift.
Lets an invoice wait again that was closed or rejected.|Eine geschlossene oder abgelehnte Rechnung wartet wieder.
Books stock in, out, or to what was counted, and answers the movement. Stock never goes below zero: 422 on quantity.|Bucht Zugang, Abgang, oder auf das Gezählte. Der Bestand wird nie negativ.
Says that the goods of a draft are on their way. Stock moves when the transfer is completed.|Die Ware ist unterwegs. Der Bestand ändert sich, wenn die Umlagerung abgeschlossen wird.
Moves the stock from the warehouse that dispatched goods leave to the one they go to. 422 on lines.N.quantity where there is not enough.|Bucht den Bestand aus dem Lager, aus dem die Ware geht, in das, in das sie geht.
Ends a transfer that is not completed: its stock stays where it is.|Beendet eine Umlagerung, die nicht abgeschlossen ist; ihr Bestand bleibt, wo er ist.
Gives the invoice to a user, or with null to nobody, and writes that in its timeline.|Weist die Rechnung jemandem zu, oder niemandem, und schreibt das in ihren Verlauf.
Issues a draft: what it prints is frozen. It mails nothing. Its status becomes unpaid, issue_date is today unless set; email mails it.|Stellt einen Entwurf aus: Er ist offen, das Rechnungsdatum ist heute, sofern keines gesetzt ist, und was er druckt, steht fest. Gemailt wird nichts.
Cancels an invoice. 422 on status while payments or credit are booked on it: take those back first.|Storniert die Rechnung. Zuerst sind Zahlungen und Gutschriften zu lösen, die darauf gebucht sind.
Ends the series of which this invoice is the root: no further invoice is made. The invoices that it made stay.|Beendet die Serie, deren Anfang diese Rechnung ist. Was schon daraus wurde, bleibt.
Makes a link by which whoever has it sees an unpaid invoice, its PDF and how to pay it. The address is told once. 422 where no way to pay is on, 403 for who may not view the customer.|Macht einen Link zur offenen Rechnung mit PDF und Bezahlmöglichkeit. Die Adresse wird einmal gezeigt.
Mails the customer what is left to pay of an unpaid invoice, with its PDF and a button to pay by: by the last step of the active plan whose day has come, where that was not sent, else by none.|Mailt dem Kunden, was offen ist, mit PDF und einem Knopf zum Bezahlen: nach der letzten fälligen Stufe des aktiven Plans, sofern sie noch nicht ging.
No plan reminds of the invoice any more, until its reminders are resumed.|Kein Plan erinnert mehr an die Rechnung, bis das wieder aufgenommen wird.
The active plan reminds of the invoice again. Of the steps whose day has come meanwhile only the last is sent.|Der aktive Plan erinnert wieder an die Rechnung. Von den inzwischen fälligen Stufen geht nur die letzte.
Moves the invoice to another state. status says to which, and the rules are those of the routes that lead there: 422 where none does.|Setzt einen anderen Stand.
Sets the order of the tags. sort_order follows the ids as they are sent.|Setzt die Reihenfolge der Tags.
Says what counts as a duplicate, what is done with one, and whether new leads are shared out.|Sagt, was als doppelt gilt, was mit Doppelten geschieht, und ob neue Leads verteilt werden.
Gives the lead to a user, with a reason for the history, or with null to nobody. The owner, suspended users and those excluded from leads are a 422.|Weist den Lead jemandem zu, mit einem Grund für den Verlauf, oder niemandem.
Moves the lead to another stage of the pipeline. Its status stays as it is.|Bringt den Lead in eine andere Phase der Pipeline. Sein Stand bleibt.
Makes a customer of the lead: a contact, a company by its name, and an opportunity where asked, as far as these modules are installed. The lead is closed.|Macht aus dem Lead einen Kunden: einen Kontakt, eine Firma, und auf Wunsch eine Verkaufschance. Der Lead ist damit abgeschlossen.
Replaces the lead’s tags. A tag that forces a follow-up needs follow_up; one that plans it makes the follow-up itself.|Ersetzt die Tags des Leads. Manche Tags verlangen eine Wiedervorlage, manche planen sie selbst.
Changes what is done with leads that arrive from the ad platform.|Ändert, was mit Leads der Werbeplattform geschieht.
Subscribes to the leads of these pages and of no others; an empty list ends all subscriptions.|Nimmt die Leads dieser Seiten an und keiner anderen; eine leere Liste beendet alles.
Ends the connection with the ad platform and forgets its pages. Leads that came stay.|Trennt die Verbindung mit der Werbeplattform und vergisst ihre Seiten. Gekommene Leads bleiben.
Notes that the follow-up was done, with what came of it and the next one where they are sent. One that is done already is a 422 on status.|Hält fest, dass die Wiedervorlage erledigt ist, was dabei herauskam und welche die nächste ist.
What came of it: a note on the lead.|Was dabei herauskam: eine Notiz zum Lead.
The next follow-up to plan with it.|Die nächste Wiedervorlage.
Why it is moved, as for one that is lost: the timeline tells it.|Warum er verschoben wird, etwa wenn er verloren ist: der Verlauf sagt es.
Gives the endpoint a new key and signing secret, told once; the earlier ones end at once.|Gibt dem Endpunkt einen neuen Schlüssel und ein neues Geheimnis, die einmal gezeigt werden; die bisherigen enden sofort.
Marks one of the caller’s notifications as read. One that is read stays as it is.|Merkt eine Benachrichtigung als gelesen.
Changes which notifications the caller also gets by mail and push. What is not sent stays.|Ändert, welche Benachrichtigungen Sie auch per Mail und auf Geräten bekommen.
Marks all of the caller’s notifications as read.|Merkt alle Ihre Benachrichtigungen als gelesen.
Gives the opportunity to a user, or with null to nobody, and writes that in its timeline.|Weist die Verkaufschance jemandem zu, oder niemandem, und schreibt das in ihren Verlauf.
Uses what is left of a posted payment on invoices of the same currency, all of the allocations or none.|Verrechnet, was von einer gebuchten Zahlung übrig ist, mit Rechnungen derselben Währung: alle Zuordnungen oder keine.
Makes the payment count for nothing: its invoices are owed again by what it had paid.|Die Zahlung zählt nicht mehr: was sie bezahlt hatte, ist wieder offen.
Posts a payment for each of the first 200 open transactions that pays invoices for certain. Call it again while has_more.|Bucht eine Zahlung zu jedem der ersten 200 offenen Umsätze, die Rechnungen sicher bezahlen.
Posts the payment of an open transaction over the invoices that are sent, or else over those that it pays for certain. With payment_id it takes a payment that was posted by hand.|Bucht die Zahlung eines offenen Umsatzes über die angegebenen Rechnungen, sonst über die, bei denen es sicher ist.
Voids the payment of a matched transaction, which needs payments.void, and lets it wait again.|Storniert die Zahlung eines zugeordneten Umsatzes; er wartet wieder.
Leaves an open transaction alone: it is no payment of an invoice.|Lässt einen offenen Umsatz beiseite: er bezahlt keine Rechnung.
Lets a transaction wait again that was left alone.|Ein beiseitegelassener Umsatz wartet wieder.
Gives the project to a user, who then is no member any more, or with null to nobody.|Weist das Projekt jemandem zu, oder niemandem.
Replaces the members by the users that are sent. The assignee is never stored as a member.|Ersetzt die Mitglieder. Die zuständige Person ist nie eines.
Moves the project to another state. status says to which, and the rules are those of the routes that lead there: 422 where none does.|Setzt einen anderen Stand.
Gives the purchase order to a user, or with null to nobody, and writes that in its timeline.|Weist die Bestellung jemandem zu, oder niemandem, und schreibt das in ihren Verlauf.
Issues a draft to the vendor: its lines are fixed, and what it prints is frozen. It mails nothing. order_date is today unless set; email mails it.|Versendet einen Entwurf an den Lieferanten: seine Zeilen stehen fest, das Bestelldatum ist heute, sofern keines gesetzt ist. Gemailt wird nichts.
Notes that the goods came, in part or all. In part nothing goes into stock; once all came, lines with a product that keeps stock are put into the warehouse where Inventory is installed.|Hält fest, dass die Ware kam, zum Teil oder ganz. Zum Teil kommt noch nichts ins Lager; ist alles da, kommen geführte Produkte ins Lager.
Notes that part of the goods came. Nothing goes into stock by it: all lines do once the whole order is received.|Hält fest, dass ein Teil der Ware kam. Ins Lager kommt dadurch noch nichts: alle Zeilen kommen hinein, sobald die ganze Bestellung angenommen ist.
Ends an order of which nothing more will come.|Beendet eine Bestellung, von der nichts mehr kommt.
Moves the purchase order to another state. status says to which, and the rules are those of the routes that lead there: 422 where none does.|Setzt einen anderen Stand.
Makes a draft expense over the order’s total, for its vendor, and answers the expense. Once only: a second time is a 422.|Macht aus der Bestellung den Entwurf einer Ausgabe über ihren Betrag. Nur einmal.
Gives the quotation to a user, or with null to nobody, and writes that in its timeline.|Weist das Angebot jemandem zu, oder niemandem, und schreibt das in seinen Verlauf.
Refuses the service account at once, in every session and with every key, until the suspension is lifted.|Sperrt das Dienstkonto sofort, in jeder Sitzung und mit jedem Schlüssel.
Lets the service account in again.|Hebt die Sperre des Dienstkontos auf.
Gives the task to a user, who is notified, or with null to nobody.|Weist die Aufgabe jemandem zu, der benachrichtigt wird, oder niemandem.
Moves the task to another state. status says to which, and the rules are those of the routes that lead there: 422 where none does.|Setzt einen anderen Stand.
Makes an employee of a user, with their name and address, hired today. 422 where they are one already.|Führt die Person unter den Mitarbeitenden, mit Name und Adresse, eingestellt heute.
Begins to work as another user, for an hour: answers a token of theirs, once. It stands in the audit log. The owner and oneself can’t be taken.|Arbeitet für eine Stunde als jemand anderes. Es steht im Prüfprotokoll.
Refuses the user at once, in every session, until the suspension is lifted. The owner can’t be suspended.|Sperrt die Person sofort, in jeder Sitzung, bis die Sperre aufgehoben wird.
Lets a suspended user in again.|Hebt die Sperre auf.
Mails a new link to choose a password; earlier ones end. For users who have not signed in yet.|Mailt einen neuen Link zum Wählen eines Passworts; frühere enden. Für alle, die sich noch nicht angemeldet haben.
Vouches for the user’s address, as if its mailed link had been opened.|Bürgt für die Adresse, als wäre der gemailte Link geöffnet worden.
Gives the endpoint a new signing secret, told once. For a day messages are signed with the former one too: with two at most, if it is rotated again.|Gibt dem Endpunkt ein neues Geheimnis, das einmal gezeigt wird. Einen Tag lang wird auch mit dem bisherigen unterschrieben, nach einem zweiten Wechsel mit beiden.
Sends a test message at once and answers what came of it.|Schickt sofort eine Testnachricht und sagt, was daraus wurde.
Tells the endpoint again what happened between two instants, of its own types and of what its maker may see, whoever asks for it.|Meldet dem Endpunkt noch einmal, was zwischen zwei Zeitpunkten geschah: von seinen Arten, und was sehen darf, wer ihn angelegt hat.
Tries a delivery once more, as soon as possible.|Versucht eine Zustellung so bald wie möglich noch einmal.
Mails an invitation by which the applicant can register a workspace, and answers its address, once. An earlier one ends.|Mailt eine Einladung, mit der ein Arbeitsbereich registriert werden kann. Eine frühere endet.
Sends a mail once more, as it was, to the same people.|Schickt eine Mail noch einmal, wie sie war, an dieselben Empfänger.
Ends the subscription at the end of its period, or at once. The module then answers 403 in that workspace; its data stay.|Beendet das Abonnement am Ende des Zeitraums oder sofort. Die Daten des Moduls bleiben.
Takes back a cancellation that has not come into effect.|Nimmt eine Kündigung zurück, die noch nicht wirkt.
Takes the module out of the workspace at once, whatever was paid. Its data stay.|Nimmt das Modul sofort aus dem Arbeitsbereich, was auch immer bezahlt ist. Seine Daten bleiben.
Lets the gateway be used beside the default one; default makes it that. It needs its credentials first.|Der Zahlungsanbieter darf neben dem voreingestellten verwendet werden. Zuerst braucht er seine Zugangsdaten.
Takes the gateway out of use. 422 for the default one.|Der Zahlungsanbieter wird nicht mehr verwendet.
Makes this the gateway of new subscriptions.|Neue Abonnements laufen künftig über diesen Zahlungsanbieter.
Changes the credentials that are sent, of one mode. They are encrypted, and never answered again.|Ändert die angegebenen Zugangsdaten eines Modus. Sie werden verschlüsselt und nie wieder gezeigt.
Changes between the sandbox and live money. Each mode has credentials of its own.|Wechselt zwischen Test und echtem Geld. Jeder Modus hat eigene Zugangsdaten.
Asks the provider whether the credentials at hand are good, and notes the answer in the gateway’s log.|Fragt den Anbieter, ob die Zugangsdaten gelten, und hält die Antwort fest.
Sets the ids of prices at the provider. 422 for a gateway that needs none.|Setzt die Kennungen der Preise beim Anbieter.
Makes a new role with the permissions of this one.|Macht eine neue Rolle mit den Rechten dieser.
Notes that the edge serves TLS for the workspace’s verified domain: from now on its links use it.|Hält fest, dass für die bestätigte Domain des Arbeitsbereichs TLS eingerichtet ist: ihre Links verwenden sie nun.
Begins to work as the owner of a workspace, for an hour: answers a token of theirs, once. It stands in both audit logs.|Arbeitet für eine Stunde als Inhaberin oder Inhaber eines Arbeitsbereichs. Es steht in beiden Prüfprotokollen.
Closes the workspace to its users (403 WORKSPACE_ARCHIVED) and keeps everything. It is not billed meanwhile.|Schließt den Arbeitsbereich für seine Leute und behält alles. Solange wird er nicht berechnet.
Opens an archived workspace to its users again.|Öffnet einen archivierten Arbeitsbereich wieder.
Vouches for the address of the owner, as if the mailed link had been opened.|Bürgt für die Adresse der Inhaberin oder des Inhabers, als wäre der gemailte Link geöffnet worden.
Installs a module in the workspace and subscribes to it, from today. What it requires must be installed before, and not be set to end.|Installiert ein Modul im Arbeitsbereich und abonniert es, ab heute. Was es voraussetzt, muss schon installiert sein und darf nicht vor dem Ende stehen.
Refuses the user at once, in every session, until the suspension is lifted.|Sperrt die Person sofort, in jeder Sitzung.
Sets a new password for somebody else. Their sessions end and their passkeys are suspended.|Setzt das Passwort von jemand anderem. Deren Sitzungen enden, Passkeys werden ausgesetzt.
Mails a new link to choose a password; earlier ones end.|Mailt einen neuen Link zum Wählen eines Passworts; frühere enden.
Makes a platform user and mails a link by which they choose a password.|Legt eine Person der Plattform an und mailt ihr einen Link zum Wählen eines Passworts.
`
    .trim()
    .split('\n')
    .map((line) => line.split('|') as [string, string]),
)
