# Run once by the image of PostgreSQL, as its superuser, when the database is made: the team server gets a user that owns its tables and
# nothing else. It cannot make roles, read files of the database's machine or pass over row-level security, as the superuser could.
psql --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv password DREY_DATABASE_PASSWORD
CREATE ROLE drey LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'password';
CREATE ROLE drey_app NOLOGIN;
GRANT drey_app TO drey;
CREATE DATABASE drey OWNER drey;
\connect drey
SELECT 'CREATE EXTENSION vector SCHEMA public' FROM pg_available_extensions WHERE name = 'vector' \gexec
SQL
