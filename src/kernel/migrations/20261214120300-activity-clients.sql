-- The program through which the actor did it, as it calls itself: an agent's.
ALTER TABLE activities ADD COLUMN client text;
ALTER TABLE activities ADD CONSTRAINT activities_client CHECK (length(client) <= 100);
