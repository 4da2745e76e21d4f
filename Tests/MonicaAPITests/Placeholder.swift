import MonicaAPI
