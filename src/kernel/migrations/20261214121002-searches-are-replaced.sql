-- It may make no further ones.
REVOKE CREATE ON SCHEMA app FROM app_platform;
